package io.heddle.jdk;

import io.heddle.core.CallEvent;
import io.heddle.core.CallEvent.Step;
import io.heddle.core.CallSite;
import io.heddle.core.Deadline;
import io.heddle.core.Lanes.Lane;
import io.heddle.core.Resends;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One call: has its name looked up, waits for its place, makes an attempt; and goes again where
 * that may be.
 *
 * <pre>{@code
 * NAME ──▶ PLACE ──▶ an attempt ──▶ its response, or its failure
 *   ▲                   │
 *   └──goes again───────┘ there was no stream; the server ignores the expectation; it has not
 *                         processed the request; or its connection was lost before the response
 * }</pre>
 *
 * @param <T> what the user makes of the body
 */
final class JdkCall<T> {

  final BlockingJdkHttpClient client;
  final HttpRequest request;
  final BodyHandler<T> handler;
  final Origin origin;
  final Deadline deadline;
  final CallEvent event = CallEvent.begin("jdk");

  private final @Nullable PushPromiseHandler<T> push;

  // The caller's; then of who discards its response.
  private @Nullable JdkExchange<T> last;

  JdkCall(
      BlockingJdkHttpClient client,
      HttpRequest request,
      BodyHandler<T> handler,
      @Nullable PushPromiseHandler<T> push) {
    this.client = client;
    this.request = Objects.requireNonNull(request, "request");
    this.handler = Objects.requireNonNull(handler, "responseBodyHandler");
    this.push = push;
    this.origin = client.origin(request);
    this.deadline = Deadline.after(request.timeout().orElse(client.timeout));
    event.request(request.method(), request.uri().getHost(), request.uri().getPort());
    event.unknown(Step.CONNECTION); // a part of what the JDK's send takes
  }

  // ---- caller ---------------------------------------------------------------------------------

  HttpResponse<T> send() throws IOException, InterruptedException {
    try {
      JdkFailures.forbidWaiting();
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted before the call");
      }
      return attempts();
    } catch (Throwable t) {
      if (client.isClosed()) {
        event.cancels();
      }
      event.failed(t);
      throw t;
    }
  }

  private HttpResponse<T> attempts() throws IOException, InterruptedException {
    Deadline queue = Deadline.none();
    Resends resends = new Resends(deadline);
    boolean expects = request.expectContinue() && hasContent();
    boolean elsewhere = false;
    boolean refused = false;
    for (; ; ) {
      event.at(Step.NAME);
      ConnectException noAddress =
          origin.lookUp(request.uri(), client.wrapped, client.resolver, deadline);
      event.at(Step.PLACE);
      if (!refused) { // else its place was none, and it still waits
        queue = deadline.earlier(Deadline.after(client.queueTimeout));
      }
      Lane lane = enter(queue, refused);
      if (refused) {
        refused = false;
        elsewhere = origin.hasLostItsStreams();
      }
      JdkExchange<T> exchange = new JdkExchange<>(this, lane, expects);
      last = exchange;
      client.live.add(exchange);
      event.at(Step.HEAD);
      try {
        return exchange.send(elsewhere && push == null ? JdkInternals.onAnotherConnection() : push);
      } catch (IOException e) {
        if (noAddress != null && e instanceof ConnectException) {
          throw noAddress;
        } else if (client.isClosed()
            || (exchange.isAnswered() && !exchange.wasExpectationIgnored())) {
          throw e;
        } else if (JdkInternals.hadNoStream(e)
            && isUntouched(e, exchange)
            && !(elsewhere && origin.hasLostItsStreams())) { // else it is lost there as well
          refused = true;
        } else if (exchange.wasExpectationIgnored()) {
          expects = false;
        } else if (JdkInternals.wasNotProcessed(e)
            ? isUntouched(e, exchange) && resends.unprocessed()
            : mayGoAgain(e) && resends.lost()) {
          resends.pause();
        } else {
          throw e;
        }
      }
    }
  }

  /** RFC 9110, 10.1.1: without there must be no expectation; and what is sent is the whole. */
  private boolean hasContent() {
    return request.bodyPublisher().map(BodyPublisher::contentLength).orElse(0L) != 0;
  }

  private Lane enter(Deadline queue, boolean again) throws IOException, InterruptedException {
    try {
      return again ? origin.enterAgain(queue) : origin.enter(queue);
    } catch (TimeoutException e) {
      String authority = Origin.authority(request.uri());
      throw deadline.isExpired()
          ? JdkFailures.overBeforeSending("waiting for a place at " + authority)
          : new HttpConnectTimeoutException(
              "no place at " + authority + " became free in " + client.queueTimeout);
    } catch (CancellationException e) {
      throw CallSite.caused(JdkFailures.closed(), e);
    }
  }

  /**
   * Whether it is certain that the server has processed nothing; else a redirect may have led to
   * what was not processed, and its origin has processed the first.
   */
  private boolean isUntouched(IOException e, JdkExchange<T> exchange) {
    return Resends.isIdempotent(request.method())
        || client.followRedirects() == Redirect.NEVER
        || exchange.begun() == JdkInternals.triesOf(e);
  }

  private boolean mayGoAgain(IOException e) {
    return origin.hasAnswered()
        && Resends.isSafe(request.method())
        && request.bodyPublisher().isEmpty()
        && JdkInternals.lostConnection(e);
  }

  /** Ends the body of the response, which nobody will get, whatever it is made of. */
  void discard() {
    if (last != null) {
      last.cancel();
    }
  }
}
