package io.heddle.ahc;

import io.heddle.core.Exchange;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.Objects;
import org.asynchttpclient.HttpResponseBodyPart;
import org.asynchttpclient.HttpResponseStatus;
import org.asynchttpclient.Request;
import org.asynchttpclient.Response;
import org.asynchttpclient.netty.EagerResponseBodyPart;
import org.jspecify.annotations.Nullable;

/** An exchange whose caller waits for the whole response, and is woken once. */
final class WholeExchange extends AhcExchange<Response> implements BlockingExchange<Response> {

  private final Exchange<Response> outcome = new Exchange<>();
  private final Response.ResponseBuilder builder = new Response.ResponseBuilder();

  WholeExchange(BlockingAhcClient client, Request request, CallLimits.Permit permit) {
    super(client, request, permit);
    outcome.onAbandon(this::abandon);
  }

  @Override
  public Exchange<Response> outcome() {
    return outcome;
  }

  @Override
  public AhcExchange<?> exchange() {
    return this;
  }

  @Override
  public void cancel() {
    event().cancels();
    outcome.cancel();
  }

  @Override
  @Nullable Thread waiter() {
    return outcome.waiter();
  }

  // ---- engine -------------------------------------------------------------------------------

  @Override
  public State onStatusReceived(HttpResponseStatus status) throws Exception {
    builder.reset();
    builder.accumulate(status);
    return super.onStatusReceived(status);
  }

  @Override
  public State onHeadersReceived(HttpHeaders headers) {
    builder.accumulate(headers);
    return isOver() ? State.ABORT : State.CONTINUE;
  }

  @Override
  public State onBodyPartReceived(HttpResponseBodyPart part) {
    builder.accumulate(
        part instanceof EagerResponseBodyPart
            ? part
            : new EagerResponseBodyPart(part.getBodyByteBuf(), part.isLast()));
    return isOver() ? State.ABORT : State.CONTINUE;
  }

  @Override
  public State onTrailingHeadersReceived(HttpHeaders headers) {
    builder.accumulate(headers);
    return isOver() ? State.ABORT : State.CONTINUE;
  }

  @Override
  Response completed() {
    Response response = Objects.requireNonNull(builder.build());
    outcome.complete(response);
    return response;
  }

  @Override
  void failed(Throwable failure) {
    outcome.fail(failure);
  }
}
