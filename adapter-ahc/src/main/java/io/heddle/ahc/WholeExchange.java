package io.heddle.ahc;

import io.heddle.core.Exchange;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.Objects;
import org.asynchttpclient.HttpResponseBodyPart;
import org.asynchttpclient.HttpResponseStatus;
import org.asynchttpclient.Request;
import org.asynchttpclient.Response;

/** An exchange whose caller waits for the whole response, and is woken once. */
final class WholeExchange extends BlockingExchange<Response> {

  private final Response.ResponseBuilder builder = new Response.ResponseBuilder();

  WholeExchange(BlockingAhcClient client, Request request, AhcLanes.Permit permit) {
    super(client, request, permit, new Exchange<>());
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
    return goesOn();
  }

  @Override
  public State onBodyPartReceived(HttpResponseBodyPart part) {
    builder.accumulate(eager(part));
    return goesOn();
  }

  @Override
  public State onTrailingHeadersReceived(HttpHeaders headers) {
    builder.accumulate(headers);
    return goesOn();
  }

  @Override
  Response completed() {
    Response response = Objects.requireNonNull(builder.build());
    outcome().complete(response);
    return response;
  }
}
