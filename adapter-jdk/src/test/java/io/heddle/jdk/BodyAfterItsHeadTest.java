package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import io.heddle.core.CallEvent;
import io.heddle.core.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The wrapped client's {@code send} is over with the head, and the caller takes the body from
 * there: what may come in between, and what users' handlers may do.
 */
@Timeout(120)
class BodyAfterItsHeadTest {

  /** Where a subscriber fails. */
  enum At {
    SUBSCRIBE,
    PIECE,
    END,
    BODY
  }

  /** What ends a call. */
  private interface Ending {
    void end(BlockingJdkHttpClient client, Thread caller) throws Exception;
  }

  static Stream<Wire> wires() {
    return Stream.of(Wire.HTTP_1_1, Wire.H2_TLS);
  }

  // ---- between the head and the body ----------------------------------------------------------

  @ParameterizedTest
  @MethodSource("wires")
  void anInterruptEndsWhatHasOnlyItsHead(Wire wire) throws Exception {
    assertEndedWithItsHandler(
        wire,
        Duration.ofMinutes(5),
        InterruptedException.class,
        (client, caller) -> caller.interrupt());
  }

  @ParameterizedTest
  @MethodSource("wires")
  void theDeadlineEndsWhatHasOnlyItsHead(Wire wire) throws Exception {
    Throwable thrown =
        assertEndedWithItsHandler(
            wire,
            Duration.ofSeconds(3), // long enough for the head
            HttpTimeoutException.class,
            (client, caller) -> Thread.sleep(3500));
    assertInstanceOf(DeadlineExceededException.class, thrown.getCause());
  }

  @ParameterizedTest
  @MethodSource("wires")
  void theEndOfTheClientEndsWhatHasOnlyItsHead(Wire wire) throws Exception {
    assertEndedWithItsHandler(
        wire, Duration.ofMinutes(5), IOException.class, (client, caller) -> client.shutdownNow());
  }

  /** The end comes while the handler is at work. */
  private static Throwable assertEndedWithItsHandler(
      Wire wire, Duration timeout, Class<? extends Throwable> type, Ending ending)
      throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(wire).build());
      URI stalled = server.uri(Clients.stalledBody());
      CompletableFuture<Thread> atWork = new CompletableFuture<>();
      CountDownLatch goOn = new CountDownLatch(1);
      Noted noted = new Noted(null);
      CompletableFuture<?> call =
          Clients.start(
              () ->
                  client.send(
                      request(stalled).timeout(timeout).build(),
                      info -> {
                        atWork.complete(Thread.currentThread());
                        Uninterrupted.await(goOn);
                        return noted;
                      }));
      ending.end(client, atWork.get(Clients.LONG_SECONDS, TimeUnit.SECONDS));
      goOn.countDown();
      Throwable thrown = Clients.failure(call);
      assertInstanceOf(type, thrown);
      assertEquals(0, client.inFlight());
      assertNotNull(noted.failure, "its subscriber knows");
      Clients.await("the server knows", () -> server.seen(stalled).getFirst().isAborted());
      client.shutdownNow();
      return thrown;
    }
  }

  /** The caller is gone by then. */
  @ParameterizedTest
  @MethodSource("wires")
  void aHeadThatComesTooLateHasNoBody(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        HttpClient stock = stock(wire).build()) {
      CountDownLatch goOn = new CountDownLatch(1);
      CompletableFuture<Void> headed = new CompletableFuture<>();
      BlockingJdkHttpClient client =
          BlockingJdkHttpClient.wrap(
              new Decorated(stock) {
                @Override
                public <T> HttpResponse<T> send(HttpRequest its, BodyHandler<T> handler)
                    throws InterruptedException {
                  BodyHandler<T> late =
                      info -> {
                        headed.complete(null);
                        Uninterrupted.await(goOn);
                        return handler.apply(info);
                      };
                  try {
                    return Clients.start(() -> stock.send(its, late)).get();
                  } catch (ExecutionException e) {
                    throw new AssertionError(e);
                  }
                }
              });
      URI stalled = server.uri(Clients.stalledBody());
      HttpRequest get = request(stalled).timeout(Duration.ofMillis(500)).build();
      CompletableFuture<?> call =
          Clients.start(() -> client.send(get, BodyHandlers.ofInputStream()));
      headed.get(Clients.LONG_SECONDS, TimeUnit.SECONDS);
      assertInstanceOf(IOException.class, Clients.failure(call));
      assertEquals(0, client.inFlight());
      goOn.countDown();
      Clients.await("the server knows", () -> server.seen(stalled).getFirst().isAborted());
    }
  }

  /** What the wrapped client does not bring is dropped, and takes no place from the other. */
  @ParameterizedTest
  @MethodSource("wires")
  void aClientThatSendsAgainByItselfBringsTheLast(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        HttpClient stock = stock(wire).build()) {
      URI stalled = server.uri(Clients.stalledBody());
      BlockingJdkHttpClient client =
          BlockingJdkHttpClient.wrap(
              new Decorated(stock) {
                @Override
                public <T> HttpResponse<T> send(HttpRequest its, BodyHandler<T> handler)
                    throws IOException, InterruptedException {
                  var unused = stock.send(request(stalled).build(), handler);
                  return stock.send(its, handler);
                }
              });
      URI uri = server.uri(Script.ok().body(1_000_000)); // more than comes unasked
      try (InputStream in =
          client.send(request(uri).build(), BodyHandlers.ofInputStream()).body()) {
        Clients.await("the server knows", () -> server.seen(stalled).getFirst().isAborted());
        assertEquals(1, client.inFlight());
        assertEquals(1_000_000, in.readAllBytes().length);
      }
      Clients.await("the call is over", () -> client.inFlight() == 0);
    }
  }

  /** Over HTTP/2 the JDK runs it on the thread that reads the connection, which is held up. */
  @ParameterizedTest
  @MethodSource("wires")
  void aHandlerMayMakeACallOfItsOwn(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        HttpClient stock = stock(wire).build()) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock);
      HttpRequest get = request(server.uri(Script.ok().body(10))).build();
      AtomicReference<Thread> ranOn = new AtomicReference<>();
      CompletableFuture<Thread> call =
          Clients.start(
              () -> {
                client.send(
                    get,
                    info -> {
                      ranOn.set(Thread.currentThread());
                      assertEquals(10, length(client, get));
                      return BodySubscribers.discarding();
                    });
                return Thread.currentThread();
              });
      assertSame(call.get(Clients.LONG_SECONDS, TimeUnit.SECONDS), ranOn.get());
    }
  }

  private static int length(HttpClient client, HttpRequest get) {
    try {
      return client.send(get, BodyHandlers.ofByteArray()).body().length;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** A client that sends in a way of its own. */
  private abstract static class Decorated extends HttpClient {
    private final HttpClient stock;

    Decorated(HttpClient stock) {
      this.stock = stock;
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
        HttpRequest request, BodyHandler<T> handler) {
      return stock.sendAsync(request, handler);
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
        HttpRequest request, BodyHandler<T> handler, PushPromiseHandler<T> push) {
      return stock.sendAsync(request, handler, push);
    }

    @Override
    public Optional<CookieHandler> cookieHandler() {
      return stock.cookieHandler();
    }

    @Override
    public Optional<Duration> connectTimeout() {
      return stock.connectTimeout();
    }

    @Override
    public Redirect followRedirects() {
      return stock.followRedirects();
    }

    @Override
    public Optional<ProxySelector> proxy() {
      return stock.proxy();
    }

    @Override
    public SSLContext sslContext() {
      return stock.sslContext();
    }

    @Override
    public SSLParameters sslParameters() {
      return stock.sslParameters();
    }

    @Override
    public Optional<Authenticator> authenticator() {
      return stock.authenticator();
    }

    @Override
    public Version version() {
      return stock.version();
    }

    @Override
    public Optional<Executor> executor() {
      return stock.executor();
    }
  }

  private static final class Uninterrupted {
    static void await(CountDownLatch latch) {
      boolean interrupted = false;
      while (latch.getCount() > 0) {
        try {
          latch.await();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("wires")
  void aHandlerThatThrowsEndsItsCall(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        HttpClient stock = stock(wire).build()) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock);
      IllegalStateException oops = new IllegalStateException("oops");
      URI stalled = server.uri(Clients.stalledBody());
      Throwable thrown =
          Clients.failure(
              Clients.start(
                  () ->
                      client.send(
                          request(stalled).build(),
                          info -> {
                            throw oops;
                          })));
      assertInstanceOf(IOException.class, thrown);
      assertSame(oops, thrown.getCause());
      assertEquals(0, client.inFlight());
      Clients.await("the server knows", () -> server.seen(stalled).getFirst().isAborted());
    }
  }

  /** What the user's code throws says nothing of the call that it is a part of. */
  @ParameterizedTest
  @MethodSource("wires")
  void aHandlerThatFailsToCallAnotherDoesNotHaveItsOwnCallRepeated(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        HttpClient stock = stock(wire).build()) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock);
      URI uri = server.uri(Script.ok().body(10));
      UncheckedIOException others =
          new UncheckedIOException(new IOException("too many concurrent streams"));
      Throwable thrown =
          Clients.failure(
              Clients.start(
                  () ->
                      client.send(
                          request(uri).build(),
                          info -> {
                            throw others;
                          })));
      assertSame(others, thrown.getCause());
      assertEquals(1, server.seen(uri).size());
    }
  }

  /**
   * What the JDK publishes comes on its own threads, and that is as soon as it is asked for, while
   * the subscriber asks.
   */
  @Test
  void whatComesWhileItsSubscriberSubscribesIsNotLost() throws Exception {
    HttpRequest get = request(URI.create("http://localhost/")).build();
    try (BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(HttpClient.newHttpClient())) {
      JdkExchange<String> exchange =
          new JdkExchange<>(
              client,
              new Origin(1, false),
              null,
              get,
              Deadline.none(),
              false,
              CallEvent.begin("jdk"));
      JdkResponseBody<String> body =
          new JdkResponseBody<>(BodySubscribers.ofString(StandardCharsets.UTF_8), -1, exchange);
      Flow.Publisher<List<ByteBuffer>> quick =
          its ->
              its.onSubscribe(
                  new Flow.Subscription() {
                    @Override
                    public void request(long n) {
                      ByteBuffer piece = ByteBuffer.wrap("all".getBytes(StandardCharsets.UTF_8));
                      CompletableFuture.runAsync(() -> its.onNext(List.of(piece))).join();
                      its.onComplete();
                    }

                    @Override
                    public void cancel() {}
                  });
      JdkResponseBody.Source source =
          new JdkResponseBody.Source(new NoInfo(), new Publishes(quick));
      assertEquals("all", body.await(source, Deadline.after(Duration.ofSeconds(10))));
    }
  }

  private record NoInfo() implements HttpResponse.ResponseInfo {
    @Override
    public int statusCode() {
      return 200;
    }

    @Override
    public HttpHeaders headers() {
      return HttpHeaders.of(Map.of(), (name, value) -> true);
    }

    @Override
    public HttpClient.Version version() {
      return HttpClient.Version.HTTP_1_1;
    }
  }

  private record Publishes(Flow.Publisher<List<ByteBuffer>> publisher)
      implements BodySubscriber<Flow.Publisher<List<ByteBuffer>>> {
    @Override
    public CompletionStage<Flow.Publisher<List<ByteBuffer>>> getBody() {
      return CompletableFuture.completedStage(publisher);
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {}

    @Override
    public void onNext(List<ByteBuffer> item) {}

    @Override
    public void onError(Throwable throwable) {}

    @Override
    public void onComplete() {}
  }

  // ---- subscribers of users' ------------------------------------------------------------------

  @ParameterizedTest
  @EnumSource(At.class)
  void aSubscriberThatThrowsEndsItsCallOverHttp1(At at) throws Exception {
    assertEndedBySubscriber(Wire.HTTP_1_1, at);
  }

  @ParameterizedTest
  @EnumSource(At.class)
  void aSubscriberThatThrowsEndsItsCallOverHttp2(At at) throws Exception {
    assertEndedBySubscriber(Wire.H2_TLS, at);
  }

  private static void assertEndedBySubscriber(Wire wire, At at) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        HttpClient stock = stock(wire).build()) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock);
      HttpRequest get = request(server.uri(Script.ok().body(1000))).build();
      Noted noted = new Noted(at);
      Throwable thrown = Clients.failure(Clients.start(() -> client.send(get, info -> noted)));
      assertInstanceOf(IOException.class, thrown);
      assertEquals("oops at " + at, thrown.getMessage());
      assertInstanceOf(UnsupportedOperationException.class, thrown.getCause());
      assertEquals(0, client.inFlight());
      assertEquals(1000, client.send(get, BodyHandlers.ofByteArray()).body().length);
    }
  }

  /** Notes what it is told; fails at one of it, or, without one, at none and has no end. */
  private static final class Noted implements BodySubscriber<String> {
    private final CompletableFuture<String> body = new CompletableFuture<>();
    private final @Nullable At at;
    private volatile @Nullable Throwable failure;

    Noted(@Nullable At at) {
      this.at = at;
    }

    private void failIf(At here) {
      if (at == here) {
        throw new UnsupportedOperationException("oops at " + at);
      }
    }

    @Override
    public CompletionStage<String> getBody() {
      failIf(At.BODY);
      return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      failIf(At.SUBSCRIBE);
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> item) {
      failIf(At.PIECE);
    }

    @Override
    public void onError(Throwable throwable) {
      failure = throwable;
    }

    @Override
    public void onComplete() {
      failIf(At.END);
    }
  }

  /** The JDK waits for it without end. */
  @ParameterizedTest
  @MethodSource("wires")
  void aSubscriberThatMakesNothingOfItsBodyHasUntilTheDeadline(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        HttpClient stock = stock(wire).build()) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock);
      HttpRequest get =
          request(server.uri(Script.ok().body(1000))).timeout(Duration.ofMillis(500)).build();
      Throwable thrown =
          Clients.failure(Clients.start(() -> client.send(get, info -> new Noted(null))));
      assertInstanceOf(HttpTimeoutException.class, thrown);
      assertInstanceOf(DeadlineExceededException.class, thrown.getCause());
    }
  }

  /** It reads on the caller, whom an interrupt wakes there. */
  @ParameterizedTest
  @MethodSource("wires")
  void anInterruptOfAHandlerThatReadsIsOne(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        HttpClient stock = stock(wire).build()) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock);
      URI stalled = server.uri(Clients.stalledBody());
      CompletableFuture<Thread> reader = new CompletableFuture<>();
      CompletableFuture<Boolean> flag = new CompletableFuture<>();
      CompletableFuture<?> call =
          Clients.start(
              () -> {
                try {
                  return client.send(
                      request(stalled).build(),
                      info ->
                          BodySubscribers.mapping(
                              BodySubscribers.ofInputStream(), in -> length(in, reader)));
                } finally {
                  flag.complete(Thread.currentThread().isInterrupted());
                }
              });
      reader.get(Clients.LONG_SECONDS, TimeUnit.SECONDS).interrupt();
      assertInstanceOf(InterruptedException.class, Clients.failure(call));
      assertFalse(flag.get());
      Clients.await("the call is over", () -> client.inFlight() == 0);
      Clients.await("the server knows", () -> server.seen(stalled).getFirst().isAborted());
    }
  }

  private static int length(InputStream in, CompletableFuture<Thread> reader) {
    try (in) {
      in.read();
      reader.complete(Thread.currentThread());
      return 1 + in.readAllBytes().length;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @MethodSource("wires")
  void eachKindOfBodyComesWhole(Wire wire, @TempDir Path directory) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        HttpClient stock = stock(wire).build()) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock);
      URI uri = server.uri(Script.ok().body(200_000));
      byte[] bytes = stock.send(request(uri).build(), BodyHandlers.ofByteArray()).body();
      assertEquals(200_000, bytes.length);
      String text = new String(bytes, StandardCharsets.UTF_8);
      assertEquals(text, get(client, uri, BodyHandlers.ofString()));
      Path file = get(client, uri, BodyHandlers.ofFile(directory.resolve("body")));
      assertEquals(-1, Files.mismatch(file, Files.write(directory.resolve("its"), bytes)));
      try (Stream<String> lines = get(client, uri, BodyHandlers.ofLines())) {
        assertEquals(text.lines().toList(), lines.toList());
      }
      BodyHandler<Integer> mapping =
          info ->
              BodySubscribers.mapping(
                  BodySubscribers.ofInputStream(), in -> length(in, new CompletableFuture<>()));
      assertEquals(200_000, get(client, uri, mapping).intValue());
      BodyHandler<Long> counting =
          BodyHandlers.fromSubscriber(new Counted(), its -> its.bytes.get());
      assertEquals(200_000, get(client, uri, counting).longValue());
      assertEquals(text, get(client, uri, BodyHandlers.buffering(BodyHandlers.ofString(), 1000)));
      Counted published = new Counted();
      Flow.Publisher<List<ByteBuffer>> publisher = get(client, uri, BodyHandlers.ofPublisher());
      publisher.subscribe(published);
      Clients.await("its end", () -> published.over);
      assertEquals(200_000, published.bytes.get());
      assertNull(get(client, uri, BodyHandlers.discarding()));
      assertEquals("mine", get(client, uri, BodyHandlers.replacing("mine")));
      Clients.await("all is over", () -> client.inFlight() == 0);
    }
  }

  private static <T> T get(HttpClient client, URI uri, BodyHandler<T> handler) throws Exception {
    return client.send(request(uri).build(), handler).body();
  }

  private static final class Counted implements Flow.Subscriber<List<ByteBuffer>> {
    private final AtomicLong bytes = new AtomicLong();
    private volatile boolean over;

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> item) {
      item.forEach(each -> bytes.addAndGet(each.remaining()));
    }

    @Override
    public void onError(Throwable throwable) {
      over = true;
    }

    @Override
    public void onComplete() {
      over = true;
    }
  }

  // ---- the response ---------------------------------------------------------------------------

  @ParameterizedTest
  @MethodSource("wires")
  void aResponseWithoutABodyIsWhole(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        HttpClient stock = stock(wire).build()) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock);
      HttpRequest head =
          request(server.uri(Script.ok().body(1000)))
              .method("HEAD", HttpRequest.BodyPublishers.noBody())
              .build();
      for (HttpRequest each :
          List.of(
              head,
              request(server.uri(Script.answer(204))).build(),
              request(server.uri(Script.answer(304))).build(),
              request(server.uri(Script.ok())).build())) {
        assertEquals("", client.send(each, BodyHandlers.ofString()).body());
        try (InputStream in = client.send(each, BodyHandlers.ofInputStream()).body()) {
          assertEquals(-1, in.read());
        }
      }
      Clients.await("all is over", () -> client.inFlight() == 0);
      assertEquals(1, server.connectionsAccepted());
    }
  }

  @ParameterizedTest
  @MethodSource("wires")
  void theResponseSaysWhatTheClientsDoes(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        HttpClient stock = stock(wire).followRedirects(HttpClient.Redirect.ALWAYS).build()) {
      URI target = server.uri(Script.ok().body(10));
      URI first = server.uri(Script.answer(302).header("Location", target.toString()));
      HttpRequest get = request(first).build();
      HttpResponse<String> its =
          BlockingJdkHttpClient.wrap(stock).send(get, BodyHandlers.ofString());
      HttpResponse<String> plain = stock.send(get, BodyHandlers.ofString());
      assertEquals(plain.body(), its.body());
      assertSame(its, saysTheSame(plain, its));
      HttpResponse<String> before = its.previousResponse().orElseThrow();
      saysTheSame(plain.previousResponse().orElseThrow(), before);
      assertNull(before.body());
      assertEquals(302, before.statusCode());
    }
  }

  private static <T> HttpResponse<T> saysTheSame(HttpResponse<T> plain, HttpResponse<T> its)
      throws ReflectiveOperationException {
    assertEquals(plain.statusCode(), its.statusCode());
    assertEquals(plain.uri(), its.uri());
    assertEquals(plain.version(), its.version());
    assertEquals(plain.request().uri(), its.request().uri());
    assertEquals(plain.headers(), its.headers());
    assertEquals(plain.sslSession().isPresent(), its.sslSession().isPresent());
    assertEquals(plain.previousResponse().isPresent(), its.previousResponse().isPresent());
    assertEquals(plain.toString(), its.toString());
    if (Runtime.version().feature() >= 25) {
      Method label = HttpResponse.class.getMethod("connectionLabel");
      assertEquals(label.invoke(plain), label.invoke(its));
      assertTrue(((Optional<?>) label.invoke(its)).isPresent());
    }
    return its;
  }
}
