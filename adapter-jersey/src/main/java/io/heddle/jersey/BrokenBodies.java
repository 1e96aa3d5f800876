package io.heddle.jersey;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.Reference;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.HttpEntityWrapper;
import org.jspecify.annotations.Nullable;

/**
 * A response body that fails at each read once it has failed. Apache's stream reports the end after
 * a failure, so that a reader which tries again takes a cut body for a whole one.
 */
final class BrokenBodies extends HttpEntityWrapper {

  private final Object call;
  private @Nullable InputStream content;

  /**
   * A body.
   *
   * @param call can be reached while this can
   */
  BrokenBodies(HttpEntity entity, Object call) {
    super(entity);
    this.call = call;
  }

  @Override
  public InputStream getContent() throws IOException {
    InputStream body = content;
    if (body == null) {
      body = new Body(super.getContent(), call);
      content = body;
    }
    return body;
  }

  /** Jersey reads it through a buffer, in blocks. */
  private static final class Body extends FilterInputStream {
    private final Object call;
    private @Nullable IOException failure;

    Body(InputStream in, Object call) {
      super(in);
      this.call = call;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] b, int off, int len) throws IOException {
      if (failure != null) {
        throw new IOException("the body has failed before: " + failure.getMessage(), failure);
      }
      try {
        return in.read(b, off, len);
      } catch (IOException e) {
        failure = e;
        throw e;
      } finally {
        Reference.reachabilityFence(call);
      }
    }

    @Override
    public long skip(long n) throws IOException {
      return failure == null ? in.skip(n) : 0;
    }
  }
}
