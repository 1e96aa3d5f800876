package io.heddle.ahc;

import io.heddle.core.DeclaredLength;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.asynchttpclient.request.body.Body;
import org.asynchttpclient.request.body.generator.FeedListener;
import org.asynchttpclient.request.body.generator.FeedableBodyGenerator;

/**
 * A feedable body of the user's, which the engine asks for bytes on its event loop. What it throws
 * there ends the exchange; the engine by itself would wait for an answer of the server.
 *
 * @param declared the body's length in bytes as a field of the request says it; −1 if none does
 */
record FedBody(FeedableBodyGenerator users, long declared, AhcExchange<?> exchange)
    implements FeedableBodyGenerator {

  @Override
  public Body createBody() {
    return new Guarded(users.createBody());
  }

  @Override
  public boolean feed(ByteBuf buffer, boolean isLast) throws Exception {
    return users.feed(buffer, isLast);
  }

  @Override
  public void setListener(FeedListener listener) {
    users.setListener(listener);
  }

  private final class Guarded implements Body {

    private final Body body;
    private final DeclaredLength length = new DeclaredLength(declared);

    Guarded(Body body) {
      this.body = body;
    }

    @Override
    public long getContentLength() {
      return body.getContentLength();
    }

    @Override
    public BodyState transferTo(ByteBuf target) throws IOException {
      try {
        int before = target.writerIndex();
        BodyState state = body.transferTo(target);
        boolean admitted = length.admits(target.writerIndex() - before);
        if (!admitted || (state == BodyState.STOP && !length.isReached())) {
          throw new IOException(length.toString());
        }
        return state;
      } catch (Throwable e) {
        exchange.failLater(e);
        throw e;
      }
    }

    @Override
    public void close() throws IOException {
      body.close();
    }
  }
}
