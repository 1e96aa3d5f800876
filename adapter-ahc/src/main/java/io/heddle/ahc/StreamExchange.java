package io.heddle.ahc;

import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.Objects;
import org.asynchttpclient.HttpResponseBodyPart;
import org.asynchttpclient.HttpResponseStatus;
import org.asynchttpclient.Request;
import org.jspecify.annotations.Nullable;

/** An exchange whose caller waits for the head, and then reads the body. */
final class StreamExchange extends BlockingExchange<StreamingResponse> {

  private final Deadline deadline;

  // Event loop only.
  private @Nullable HttpResponseStatus status;
  private @Nullable HttpHeaders headers;

  // Written by the event loop.
  private volatile @Nullable StreamingResponse response;

  StreamExchange(
      BlockingAhcClient client, Request request, AhcLanes.Permit permit, Deadline deadline) {
    super(client, request, permit, new Exchange<>(late -> {})); // whoever gave it up has ended it
    this.deadline = deadline;
  }

  @Override
  void cancel() {
    super.cancel();
    StreamingResponse begun = response; // which is set before the head completes
    if (begun != null) {
      begun.body().pipe().cancel();
    }
  }

  @Override
  @Nullable Thread waiter() {
    StreamingResponse begun = response;
    return begun == null ? super.waiter() : begun.body().pipe().waiter();
  }

  // ---- engine -------------------------------------------------------------------------------

  @Override
  public State onStatusReceived(HttpResponseStatus received) throws Exception {
    status = received;
    headers = null;
    return super.onStatusReceived(received);
  }

  @Override
  public State onHeadersReceived(HttpHeaders received) {
    headers = received;
    response();
    return goesOn();
  }

  @Override
  public State onBodyPartReceived(HttpResponseBodyPart part) {
    response().body().offer(part.getBodyByteBuf());
    return goesOn();
  }

  @Override
  public State onTrailingHeadersReceived(HttpHeaders received) {
    response().trailers(received);
    return goesOn();
  }

  @Override
  StreamingResponse completed() {
    StreamingResponse whole = response();
    whole.body().pipe().end();
    return whole;
  }

  @Override
  void failed(Throwable failure) {
    StreamingResponse begun = response;
    if (begun != null) {
      begun.body().pipe().fail(failure);
    }
    super.failed(failure);
  }

  @Override
  boolean isBodyUnread() {
    StreamingResponse begun = response;
    return begun != null && begun.body().isFull();
  }

  /** The response; with the first call its head is complete. AHC calls for no empty headers. */
  private StreamingResponse response() {
    StreamingResponse known = response;
    if (known == null) {
      HttpHeaders fields = headers == null ? EmptyHttpHeaders.INSTANCE : headers;
      AhcResponseBody body = new AhcResponseBody(this, length(fields), deadline);
      known = new StreamingResponse(Objects.requireNonNull(status), fields, body);
      response = known;
      outcome().complete(known);
    }
    return known;
  }

  private static long length(HttpHeaders fields) {
    String length = fields.get(HttpHeaderNames.CONTENT_LENGTH);
    try {
      return length == null ? AhcResponseBody.WINDOW : Long.parseLong(length);
    } catch (NumberFormatException e) {
      return AhcResponseBody.WINDOW;
    }
  }
}
