package io.heddle.jdk;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** The user's request as the wrapped client gets it: with another timeout, and with hooks. */
final class SentRequest extends HttpRequest {

  private final HttpRequest user;
  private final @Nullable Duration timeout;
  private final JdkExchange<?> exchange;
  private final boolean connecting;

  /**
   * A request.
   *
   * @param timeout in place of the user's; null for none
   * @param exchange is told of its upload
   * @param connecting whether it is to be told when there is a connection, too
   */
  SentRequest(
      HttpRequest user, @Nullable Duration timeout, JdkExchange<?> exchange, boolean connecting) {
    this.user = user;
    this.timeout = timeout;
    this.exchange = exchange;
    this.connecting = connecting;
  }

  /**
   * The client asks a body for its length once it has the connection, and has put that where others
   * find it. So a request without a body that is to tell of it gets one of no bytes, which over
   * HTTP/2 looks the same, and over HTTP/1.1 has a {@code Content-Length: 0}.
   */
  @Override
  public Optional<BodyPublisher> bodyPublisher() {
    Optional<BodyPublisher> body = user.bodyPublisher();
    return connecting
        ? Optional.of(new Sent(body.orElseGet(BodyPublishers::noBody)))
        : body.map(Sent::new);
  }

  private final class Sent implements BodyPublisher {
    private final BodyPublisher body;

    Sent(BodyPublisher body) {
      this.body = body;
    }

    @Override
    public long contentLength() {
      exchange.begins();
      return body.contentLength();
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuffer> client) {
      boolean multiplexed = JdkInternals.isOfHttp2(client);
      exchange.sends(multiplexed);
      JdkUpload upload = new JdkUpload(client, multiplexed);
      exchange.uploads(upload, multiplexed);
      body.subscribe(upload);
    }
  }

  @Override
  public String method() {
    return user.method();
  }

  @Override
  public Optional<Duration> timeout() {
    return Optional.ofNullable(timeout);
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
