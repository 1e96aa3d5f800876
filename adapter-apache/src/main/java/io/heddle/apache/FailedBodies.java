package io.heddle.apache;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.StreamClosedException;
import org.apache.hc.core5.http.io.entity.HttpEntityWrapper;
import org.jspecify.annotations.Nullable;

/**
 * Lets a response body that failed fail at each further read. The classic client's own stream
 * reports the end after a failure, so that a reader which tries again takes a cut body for a whole
 * one.
 */
final class FailedBodies implements ExecChainHandler {

  @Override
  public ClassicHttpResponse execute(
      ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
      throws IOException, HttpException {
    ClassicHttpResponse response = chain.proceed(request, scope);
    HttpEntity entity = response.getEntity();
    if (entity != null && entity.isStreaming()) {
      response.setEntity(new Entity(entity));
    }
    return response;
  }

  private static final class Entity extends HttpEntityWrapper {
    private @Nullable Body content;

    Entity(HttpEntity entity) {
      super(entity);
    }

    @Override
    public InputStream getContent() throws IOException {
      Body body = content;
      if (body == null) {
        body = new Body(super.getContent());
        content = body;
      }
      return body;
    }
  }

  private static final class Body extends FilterInputStream {
    private @Nullable IOException failure;

    Body(InputStream in) {
      super(in);
    }

    private IOException failed(IOException e) {
      if (!(e instanceof StreamClosedException)) {
        failure = e;
      }
      return e;
    }

    private void throwAgain() throws IOException {
      if (failure != null) {
        throw ApacheFailures.inBody(failure);
      }
    }

    @Override
    public int read() throws IOException {
      throwAgain();
      try {
        return in.read();
      } catch (IOException e) {
        throw failed(e);
      }
    }

    @Override
    public int read(byte[] b, int off, int len) throws IOException {
      throwAgain();
      try {
        return in.read(b, off, len);
      } catch (IOException e) {
        throw failed(e);
      }
    }

    @Override
    public long skip(long n) throws IOException {
      throwAgain();
      try {
        return in.skip(n);
      } catch (IOException e) {
        throw failed(e);
      }
    }
  }
}
