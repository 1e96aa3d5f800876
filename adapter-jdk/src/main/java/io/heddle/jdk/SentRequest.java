package io.heddle.jdk;

import io.heddle.core.Deadline;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Flow;

/** The user's request as the wrapped client gets it: with another deadline, and with hooks. */
final class SentRequest extends HttpRequest {

  private final HttpRequest user;
  private final Deadline deadline;
  private final JdkExchange<?> exchange;
  private final boolean plain;

  /**
   * A request.
   *
   * @param deadline in place of the user's timeout
   * @param exchange is told of its upload
   * @param plain whether the exchange need not be told of a request without a body
   */
  SentRequest(HttpRequest user, Deadline deadline, JdkExchange<?> exchange, boolean plain) {
    this.user = user;
    this.deadline = deadline;
    this.exchange = exchange;
    this.plain = plain;
  }

  /**
   * The client asks a body for its length once it has the connection, and has put that where others
   * find it; and subscribes to it once the head has its stream. So a request without a body that is
   * to tell of these gets one of no bytes, which over HTTP/2 looks the same, and over HTTP/1.1 has
   * a {@code Content-Length: 0}.
   */
  @Override
  public Optional<BodyPublisher> bodyPublisher() {
    Optional<BodyPublisher> body = user.bodyPublisher();
    return (plain ? body : body.or(() -> Optional.of(BodyPublishers.noBody()))).map(Sent::new);
  }

  /** The response's request has this body, too: who sends that again sends the user's own. */
  private final class Sent implements BodyPublisher {
    private final BodyPublisher body;
    private volatile boolean again;

    Sent(BodyPublisher body) {
      this.body = body;
    }

    @Override
    public long contentLength() {
      again = exchange.isBrought();
      if (!again) {
        exchange.begins();
      }
      return body.contentLength();
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuffer> client) {
      boolean waits = !JdkInternals.isInMemory(body);
      body.subscribe(again ? client : exchange.upload(client, deadline, waits));
    }
  }

  @Override
  public String method() {
    return user.method();
  }

  /** Zero would be no timeout that may be. */
  @Override
  public Optional<Duration> timeout() {
    return deadline.isNone()
        ? Optional.empty()
        : Optional.of(Duration.ofNanos(Math.max(1, deadline.remainingNanos())));
  }

  @Override
  public boolean expectContinue() {
    return exchange.expects();
  }

  @Override
  public URI uri() {
    return user.uri();
  }

  @Override
  public Optional<HttpClient.Version> version() {
    return user.version();
  }

  @Override
  public HttpHeaders headers() {
    return user.headers();
  }
}
