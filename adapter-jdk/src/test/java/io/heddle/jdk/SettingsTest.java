package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.CookieManager;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.security.Security;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a client can be made of, and what it passes on. */
@Timeout(60)
class SettingsTest {

  @Test
  void settingsAreTheWrappedClients() {
    Executor executor = Runnable::run;
    CookieManager cookies = new CookieManager();
    HttpClient stock =
        stock(Wire.H2_TLS)
            .executor(executor)
            .cookieHandler(cookies)
            .proxy(ProxySelector.getDefault())
            .connectTimeout(Duration.ofSeconds(3))
            .followRedirects(HttpClient.Redirect.ALWAYS)
            .build();
    HttpClient client = BlockingJdkHttpClient.wrap(stock);
    assertEquals(Optional.of(executor), client.executor());
    assertEquals(Optional.of(cookies), client.cookieHandler());
    assertEquals(stock.proxy(), client.proxy());
    assertEquals(stock.connectTimeout(), client.connectTimeout());
    assertEquals(HttpClient.Redirect.ALWAYS, client.followRedirects());
    assertEquals(HttpClient.Version.HTTP_2, client.version());
    assertEquals(Optional.empty(), client.authenticator());
    assertSame(stock.sslContext(), client.sslContext());
    assertEquals(
        stock.sslParameters().getProtocols().length, client.sslParameters().getProtocols().length);
    client.close();
  }

  /** As often as the JDK's client does; an address is no name, and need be looked up by nobody. */
  @Test
  void proxiesAreNotAskedForAgainForEachCallToAnAddress() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    ProxySelector none =
        new ProxySelector() {
          @Override
          public List<Proxy> select(URI uri) {
            asked.incrementAndGet();
            return List.of(Proxy.NO_PROXY);
          }

          @Override
          public void connectFailed(URI uri, SocketAddress address, IOException failure) {}
        };
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        HttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.HTTP_1_1).proxy(none).build())) {
      HttpRequest request = HttpRequest.newBuilder(server.uri(Script.ok())).build();
      for (int i = 0; i < 10; i++) {
        assertEquals(200, client.send(request, BodyHandlers.discarding()).statusCode());
      }
    }
    assertTrue(asked.get() <= 12, asked + " times");
  }

  @Test
  @SuppressWarnings("NullAway") // a null is tried
  void whatCannotBeIsRefused() {
    HttpClient stock = stock(Wire.HTTP_1_1).build();
    BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock);
    assertSame(client, BlockingJdkHttpClient.wrap(client));
    assertRefused("give the client that it wraps", any -> BlockingJdkHttpClient.builder(client));
    assertThrows(NullPointerException.class, () -> BlockingJdkHttpClient.wrap(null));
    assertRefused("timeout must be positive", builder -> builder.timeout(Duration.ZERO));
    assertRefused("readTimeout", builder -> builder.readTimeout(Duration.ofSeconds(-1)));
    assertRefused("queueTimeout", builder -> builder.queueTimeout(Duration.ofSeconds(-1)));
    assertRefused("maxConnectionsPerOrigin", builder -> builder.maxConnectionsPerOrigin(0));
    assertRefused("maxLookUps", builder -> builder.maxLookUps(0));
    client.close();
    assertRefused("the client is closed", any -> BlockingJdkHttpClient.builder(stock));
  }

  private static void assertRefused(
      String why, Function<BlockingJdkHttpClientBuilder, Object> setting) {
    HttpClient stock = stock(Wire.HTTP_1_1).build();
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> setting.apply(BlockingJdkHttpClient.builder(stock)));
    assertTrue(String.valueOf(refused.getMessage()).contains(why), refused::toString);
    stock.close();
  }

  @Test
  void theClientsTimeoutIsForRequestsWithoutTheirOwn() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingJdkHttpClient client =
            BlockingJdkHttpClient.builder(stock(Wire.HTTP_1_1).build())
                .timeout(Duration.ofMillis(300))
                .build()) {
      URI stalled = server.uri(Clients.stalledBody());
      assertThrows(
          HttpTimeoutException.class,
          () -> client.send(request(stalled).build(), BodyHandlers.ofString()));
      URI slow = server.uri(Script.ok().delay(Duration.ofMillis(600)));
      assertEquals(
          200,
          client
              .send(request(slow).timeout(Duration.ofSeconds(20)).build(), BodyHandlers.ofString())
              .statusCode());
    }
  }

  @Test
  void queueTimeoutEndsTheWaitForAPlace() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingJdkHttpClient client =
            BlockingJdkHttpClient.builder(stock(Wire.HTTP_1_1).build())
                .maxConnectionsPerOrigin(1)
                .queueTimeout(Duration.ofMillis(200))
                .build()) {
      URI stalled = server.uri(Script.ok().fault(Fault.STALL));
      CompletableFuture<?> holder =
          client.sendAsync(request(stalled).build(), BodyHandlers.discarding());
      Clients.await("it has the place", () -> !server.seen(stalled).isEmpty());
      HttpConnectTimeoutException thrown =
          assertThrows(
              HttpConnectTimeoutException.class,
              () -> client.send(request(stalled).build(), BodyHandlers.discarding()));
      assertEquals(
          "no place at 127.0.0.1:" + server.port() + " became free in PT0.2S", thrown.getMessage());
      client.shutdownNow();
      assertInstanceOf(java.io.IOException.class, Clients.failure(holder));
    }
  }

  @Test
  void queueTimeoutBeginsAfterTheLookUp() throws Exception {
    byte[] loopback = InetAddress.getLoopbackAddress().getAddress();
    String host = "slow-before-the-queue.heddle.test";
    KitResolver.use(any -> List.of(InetAddress.getByAddress(any, loopback)));
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingJdkHttpClient client =
            BlockingJdkHttpClient.builder(stock(Wire.HTTP_1_1).build())
                .maxConnectionsPerOrigin(1)
                .queueTimeout(Duration.ofSeconds(2))
                .build()) {
      URI stalled = server.uri(host, Script.ok().fault(Fault.STALL));
      CompletableFuture<?> holder =
          client.sendAsync(request(stalled).build(), BodyHandlers.discarding());
      Clients.await("it has the place", () -> !server.seen(stalled).isEmpty());
      Thread.sleep(1500); // until the JVM has forgotten the name
      KitResolver.use(
          any -> {
            Clients.linger(Duration.ofMillis(2500));
            return List.of(InetAddress.getByAddress(any, loopback));
          });
      CompletableFuture<HttpResponse<Void>> other =
          client.sendAsync(
              request(server.uri(host, Script.ok())).build(), BodyHandlers.discarding());
      Clients.await("it waits, or has failed", () -> client.waiting() == 1 || other.isDone());
      server.seen(stalled).forEach(Seen::release);
      assertEquals(200, other.get().statusCode());
      holder.get();
    } finally {
      KitResolver.use(null);
    }
  }

  @Test
  void anOriginIsTheSameInEachSpelling() {
    assertEquals(
        Origin.Key.of(URI.create("http://localhost/a")),
        Origin.Key.of(URI.create("HTTP://LocalHost:80")));
    assertEquals(
        Origin.Key.of(URI.create("https://[::1]")),
        Origin.Key.of(URI.create("https://[::1]:443/?b")));
    assertEquals(
        Origin.Key.of(URI.create("http://localhost")),
        Origin.Key.of(URI.create("http://penelope:web@localhost")));
    assertNotEquals(
        Origin.Key.of(URI.create("http://localhost:443")),
        Origin.Key.of(URI.create("http://localhost")));
    assertNotEquals(
        Origin.Key.of(URI.create("http://localhost")),
        Origin.Key.of(URI.create("https://localhost")));
  }

  @Test
  void aNameThatWasKnownIsAskedForAgainSoon() {
    long kept = Duration.ofSeconds(30).toNanos();
    long asked = Duration.ofMillis(1).toNanos();
    assertEquals(kept, Origin.trusted(asked, kept));
    assertEquals(Duration.ofSeconds(1).toNanos(), Origin.trusted(0, kept));
    assertEquals(asked, Origin.trusted(0, asked));
  }

  /** A JVM that remembers no name: to look it up before would be to look it up twice. */
  @Test
  void withoutACacheOfNamesTheCallerLooksThemUp() throws Exception {
    List<Thread> askers = new CopyOnWriteArrayList<>();
    KitResolver.use(
        any -> {
          askers.add(Thread.currentThread());
          return List.of(InetAddress.getLoopbackAddress());
        });
    InetAddress.getAllByName("localhost"); // the JVM itself has read its properties by now
    String ttl = System.getProperty("sun.net.inetaddr.ttl", "30"); // which the other goes before
    Security.setProperty("networkaddress.cache.ttl", "0");
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.HTTP_1_1).build())) {
      URI uri = server.uri("uncached.heddle.test", Script.ok());
      Clients.start(() -> client.send(request(uri).build(), BodyHandlers.discarding())).get();
      assertTrue(askers.stream().allMatch(Thread::isVirtual), askers::toString);
      assertFalse(askers.isEmpty());
    } finally {
      Security.setProperty("networkaddress.cache.ttl", ttl);
      KitResolver.use(null);
    }
  }

  @Test
  void readTimeoutIsTheServersSilence() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingJdkHttpClient client =
            BlockingJdkHttpClient.builder(stock(Wire.HTTP_1_1).build())
                .readTimeout(Duration.ofSeconds(2)) // a busy server's silence is less
                .build()) {
      URI stalled = server.uri(Clients.stalledBody());
      assertThrows(
          HttpTimeoutException.class,
          () -> client.send(request(stalled).build(), BodyHandlers.ofString()));
      URI whole = server.uri(Script.ok().body(1_000_000));
      try (var body = client.send(request(whole).build(), BodyHandlers.ofInputStream()).body()) {
        Thread.sleep(3000); // the reader's silence, not the server's
        assertEquals(1_000_000, body.readAllBytes().length);
      }
    }
  }

  /** Of the head of a request with a body nobody knows when it is late; of a body one does. */
  @Test
  void readTimeoutInTheBodyOfAnUpload() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingJdkHttpClient client =
            BlockingJdkHttpClient.builder(stock(Wire.HTTP_1_1).build())
                .readTimeout(Duration.ofMillis(500))
                .build()) {
      HttpRequest post =
          request(server.uri(Clients.stalledBody())).POST(BodyPublishers.ofString("x")).build();
      Throwable thrown =
          Clients.failure(Clients.start(() -> client.send(post, BodyHandlers.ofString())));
      assertInstanceOf(HttpTimeoutException.class, thrown);
    }
  }

  /** What the handler has seen cannot be taken back. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2_TLS"})
  void aGetWhoseResponseHasBegunDoesNotGoAgain(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(wire).build())) {
      client.send(request(server.uri(Script.ok())).build(), BodyHandlers.discarding());
      URI cut = server.uri(Script.ok().body(10_000).fault(Script.Fault.CLOSE, 1000));
      assertThrows(
          java.io.IOException.class,
          () -> client.send(request(cut).build(), BodyHandlers.ofString()));
      assertEquals(1, server.seen(cut).size(), "times sent");
    }
  }
}
