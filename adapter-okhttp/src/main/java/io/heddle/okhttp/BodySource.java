package io.heddle.okhttp;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import okio.BufferedSource;
import okio.Okio;
import okio.Source;
import org.jspecify.annotations.Nullable;

/**
 * okio's own buffered source, but for its {@code inputStream()}. There, okio waits for bytes even
 * where none are asked for, so that {@link InputStream#readNBytes(int)}, which ends by asking for
 * none, hangs on a server that has stalled, although it has all its bytes.
 *
 * <p>All else passes through, whatever methods this version of okio has.
 */
record BodySource(BufferedSource source) implements InvocationHandler {

  /** A buffered source of these bytes. */
  static BufferedSource of(Source source) {
    return (BufferedSource)
        Proxy.newProxyInstance(
            BufferedSource.class.getClassLoader(),
            new Class<?>[] {BufferedSource.class},
            new BodySource(Okio.buffer(source)));
  }

  @SuppressWarnings("ReferenceEquality") // as Object has it
  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (method.getName().equals("equals")) {
      return proxy == Objects.requireNonNull(arguments)[0];
    }
    try {
      Object result = method.invoke(source, arguments);
      return result instanceof InputStream in ? new Stream(in) : result;
    } catch (InvocationTargetException e) {
      throw Objects.requireNonNull(e.getCause());
    }
  }

  /** Asked for nothing, it gives nothing. */
  private static final class Stream extends FilterInputStream {
    Stream(InputStream in) {
      super(in);
    }

    @Override
    public int read(byte[] b, int off, int len) throws IOException {
      Objects.checkFromIndexSize(off, len, b.length);
      return len == 0 ? 0 : super.read(b, off, len);
    }

    @Override
    public String toString() {
      return in.toString();
    }
  }
}
