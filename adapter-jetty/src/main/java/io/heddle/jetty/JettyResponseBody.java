package io.heddle.jetty;

import io.heddle.Deadline;
import io.heddle.ResponseBodyPipe;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The body of a response, as the caller reads it. */
final class JettyResponseBody extends InputStream {

  private final ResponseBodyPipe pipe;
  private final Supplier<Deadline> deadline;
  private byte @Nullable [] one;
  private boolean closed;

  JettyResponseBody(ResponseBodyPipe pipe, Supplier<Deadline> deadline) {
    this.pipe = pipe;
    this.deadline = deadline;
  }

  @Override
  public int read() throws IOException {
    byte[] b = one;
    if (b == null) {
      b = new byte[1];
      one = b;
    }
    return read(b, 0, 1) < 0 ? -1 : b[0] & 0xff;
  }

  @Override
  public int read(byte[] b, int off, int len) throws IOException {
    if (closed) {
      throw JettyFailures.closed(null);
    }
    try {
      return pipe.read(b, off, len, deadline.get());
    } catch (InterruptedException e) {
      throw JettyFailures.interrupted("reading the response body", e);
    } catch (TimeoutException e) {
      throw JettyFailures.deadline("reading the response body", e);
    } catch (CancellationException e) {
      throw JettyFailures.closed(e);
    } catch (ExecutionException e) {
      throw JettyFailures.inBody(
          "reading the response body", Objects.requireNonNull(e.getCause()), deadline.get());
    }
  }

  @Override
  public int available() {
    return closed ? 0 : pipe.available();
  }

  @Override
  public void close() {
    closed = true;
    pipe.close();
  }
}
