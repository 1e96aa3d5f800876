package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.start;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The deadline of a call is over just before its request has a stream of HTTP/2. At times the JDK
 * cancels the call then, and sends its head all the same ({@link JdkInternals#TIMER_EARLY_NANOS}).
 */
@Timeout(60)
class LostCancelTest {

  private static final Duration DEADLINE = Duration.ofMillis(300);
  private static final Duration SILENCE = Duration.ofSeconds(2); // a cold client answers in it

  /**
   * A cancel that is lost: the client has no timer and hears no interrupt.
   *
   * @param gone whether the caller has gone when the request has its stream, as the alarm rang
   */
  @ParameterizedTest
  @CsvSource({"GET, false", "GET, true", "POST, false", "POST, true"})
  void theStreamIsReset(String method, boolean gone) throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      Losing losing = new Losing(stock(Wire.H2_TLS).build());
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(losing);
      URI ok = server.uri(Script.ok());
      start(() -> client.send(request(ok).build(), BodyHandlers.discarding())).get();

      losing.loses = true;
      BodyPublisher body =
          method.equals("GET") ? BodyPublishers.noBody() : BodyPublishers.ofString("body");
      URI uri = server.uri(Script.ok().fault(Script.Fault.STALL));
      HttpRequest.Builder user = request(uri).timeout(DEADLINE);
      HttpRequest call = method.equals("GET") ? user.build() : user.method(method, body).build();
      var outcome = start(() -> client.send(call, BodyHandlers.discarding()));
      if (!gone) {
        losing.begun.await(); // and its time runs
        Thread.sleep(DEADLINE.toMillis());
        losing.streams.countDown();
      }
      Throwable thrown = Clients.failure(outcome);
      losing.streams.countDown();
      assertInstanceOf(HttpTimeoutException.class, thrown);
      assertInstanceOf(DeadlineExceededException.class, thrown.getCause());
      Clients.await("the server knows", () -> server.seen(uri).stream().allMatch(Seen::isAborted));
      assertEquals(1, server.seen(uri).size());
      client.shutdownNow();
    }
  }

  /** By a read timeout, and no deadline. */
  @ParameterizedTest
  @ValueSource(strings = {"GET", "POST"})
  void theStreamIsResetAtAReadTimeout(String method) throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      Losing losing = new Losing(stock(Wire.H2_TLS).build());
      BlockingJdkHttpClient client =
          BlockingJdkHttpClient.builder(losing).readTimeout(SILENCE).build();
      URI ok = server.uri(Script.ok());
      start(() -> client.send(request(ok).build(), BodyHandlers.discarding())).get();

      losing.loses = true;
      URI uri = server.uri(Script.ok().fault(Script.Fault.STALL));
      HttpRequest.Builder user = request(uri);
      HttpRequest call =
          method.equals("GET")
              ? user.build()
              : user.method(method, BodyPublishers.ofString("body")).build();
      var outcome = start(() -> client.send(call, BodyHandlers.discarding()));
      assertInstanceOf(HttpTimeoutException.class, Clients.failure(outcome));
      losing.streams.countDown();
      Clients.await(
          "the server knows",
          () -> server.seen(uri).size() == 1 && server.seen(uri).getFirst().isAborted());
      client.shutdownNow();
    }
  }

  @Test
  void stockForgetsAnotherAttempt() throws Exception {
    assertEquals(Optional.of(false), isAnotherAttemptReset(client -> client));
  }

  /** On JDK 26 and later there is none that the server sees. */
  @Test
  void anotherAttemptIsReset() throws Exception {
    assertTrue(
        isAnotherAttemptReset(BlockingJdkHttpClient::wrap)
            .orElse(Runtime.version().feature() >= 26));
  }

  /**
   * Of a call whose client goes on with another attempt once the call is over; empty if it does
   * not.
   */
  private static Optional<Boolean> isAnotherAttemptReset(UnaryOperator<HttpClient> wrapping)
      throws Exception {
    for (int i = 0; i < 5; i++) {
      try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
        SlowShakes slow = new SlowShakes();
        HttpClient client = wrapping.apply(stock(Wire.H2_TLS).sslContext(slow.context).build());
        URI uri = callThatIsOverBetweenAttempts(client, slow, server);
        if (holdsSoon(() -> server.seen(uri).size() == 2)) { // else the interrupt came first
          boolean reset = holdsSoon(() -> server.seen(uri).getLast().isAborted());
          client.shutdownNow();
          return Optional.of(reset);
        }
        client.shutdownNow();
      }
    }
    return Optional.empty();
  }

  /**
   * The server says GOAWAY of the first attempt, and the connection of the next stands only once
   * the call is over: the client's timer has rung, and then its caller was interrupted.
   */
  private static URI callThatIsOverBetweenAttempts(
      HttpClient client, SlowShakes slow, FaultServer server) throws Exception {
    URI ok = server.uri(Script.ok());
    start(() -> client.send(request(ok).build(), BodyHandlers.discarding())).get();
    slow.begin();
    URI uri = server.uri(Script.ok().fault(Script.Fault.GOAWAY).once());
    HttpRequest post = request(uri).timeout(DEADLINE).POST(new WholeOnce()).build();
    CompletableFuture<Thread> caller = new CompletableFuture<>();
    var outcome =
        start(
            () -> {
              caller.complete(Thread.currentThread());
              return client.send(post, BodyHandlers.discarding());
            });
    slow.begun.await();
    Thread.sleep(DEADLINE.toMillis() * 2);
    caller.get().interrupt(); // stock's, where no alarm rings
    Clients.failure(outcome);
    slow.end.countDown();
    return uri;
  }

  private static boolean holdsSoon(BooleanSupplier what) throws InterruptedException {
    for (int i = 0; i < 200 && !what.getAsBoolean(); i++) {
      Thread.sleep(10);
    }
    return what.getAsBoolean();
  }

  /** A body of which nothing comes when it is sent again, so that the server waits for it. */
  private static final class WholeOnce implements BodyPublisher {
    private final AtomicBoolean sent = new AtomicBoolean();

    @Override
    public long contentLength() {
      return 1;
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuffer> client) {
      if (sent.compareAndSet(false, true)) {
        BodyPublishers.ofByteArray(new byte[1]).subscribe(client);
        return;
      }
      client.onSubscribe(
          new Flow.Subscription() {
            @Override
            public void request(long n) {}

            @Override
            public void cancel() {}
          });
    }
  }

  /** TLS of which each handshake after the first waits to be let go on. */
  private static final class SlowShakes implements X509TrustManager {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private final SSLContext context;
    private volatile boolean slow;

    SlowShakes() throws GeneralSecurityException {
      context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {this}, null);
    }

    void begin() {
      SSLSessionContext sessions = context.getClientSessionContext();
      for (byte[] id : Collections.list(sessions.getIds())) {
        SSLSession its = sessions.getSession(id);
        if (its != null) {
          its.invalidate(); // or the next handshake would resume it, and ask nobody
        }
      }
      slow = true;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) {
      if (slow) {
        begun.countDown();
        try {
          end.await();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  /** Of what is cancelled this hears nothing. */
  private static final class Losing extends ForwardingClient {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch streams = new CountDownLatch(1);
    private volatile boolean loses;

    Losing(HttpClient client) {
      super(client);
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
        throws IOException, InterruptedException {
      if (!loses) {
        return super.send(request, handler);
      }
      begun.countDown();
      try {
        return client.sendAsync(new Late(request, streams), handler).get();
      } catch (ExecutionException e) {
        throw new IOException(e.getCause());
      }
    }
  }

  /** Has no timeout; and where it has its stream, that is not told before it may be. */
  private static final class Late extends HttpRequest {
    private final HttpRequest request;
    private final CountDownLatch streams;

    Late(HttpRequest request, CountDownLatch streams) {
      this.request = request;
      this.streams = streams;
    }

    @Override
    public Optional<BodyPublisher> bodyPublisher() {
      return request.bodyPublisher().map(LateBody::new);
    }

    private final class LateBody implements BodyPublisher {
      private final BodyPublisher body;

      LateBody(BodyPublisher body) {
        this.body = body;
      }

      @Override
      public long contentLength() {
        return body.contentLength();
      }

      @Override
      public void subscribe(Flow.Subscriber<? super ByteBuffer> client) {
        try {
          streams.await();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
        body.subscribe(client);
      }
    }

    @Override
    public Optional<Duration> timeout() {
      return Optional.empty();
    }

    @Override
    public String method() {
      return request.method();
    }

    @Override
    public boolean expectContinue() {
      return request.expectContinue();
    }

    @Override
    public URI uri() {
      return request.uri();
    }

    @Override
    public Optional<HttpClient.Version> version() {
      return request.version();
    }

    @Override
    public HttpHeaders headers() {
      return request.headers();
    }
  }
}
