package io.heddle.bench.contestants;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.bench.load.TargetServer;
import io.heddle.bench.load.Wish;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every contestant calls as it says it does, by the wire that it says. */
@Timeout(60)
class ContestantTest {

  private static TargetServer server;

  @BeforeAll
  static void start() throws InterruptedException {
    server = new TargetServer(2, 3);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  static Stream<Contestant> contestants() {
    return Stream.of(Library.values()).flatMap(library -> library.all().stream());
  }

  @ParameterizedTest
  @MethodSource("contestants")
  void getsByItsWire(Contestant contestant) throws Exception {
    callsByItsWire(contestant, Ask.get(plain("/?bytes=5")));
  }

  @ParameterizedTest
  @MethodSource("contestants")
  void postsByItsWire(Contestant contestant) throws Exception {
    callsByItsWire(contestant, new Ask(List.of(plain("/")), 100_000, false));
  }

  @ParameterizedTest
  @MethodSource("contestants")
  void getsOverTls(Contestant contestant) throws Exception {
    callsByItsWire(contestant, Ask.get(tls("/?bytes=1048576")));
  }

  @ParameterizedTest
  @MethodSource("contestants")
  void postsOverTls(Contestant contestant) throws Exception {
    callsByItsWire(contestant, new Ask(List.of(tls("/")), 100_000, false));
  }

  /** Three times what fits into one piece of the server's. */
  @ParameterizedTest
  @MethodSource("contestants")
  void readsPieceByPiece(Contestant contestant) throws Exception {
    if (contestant.mode() != Mode.ASYNC) {
      callsByItsWire(
          contestant, new Ask(List.of(plain("/?bytes=" + 3 * Wish.PIECE)), Ask.GET, true));
    }
  }

  @ParameterizedTest
  @MethodSource("contestants")
  void asksEachAddressInTurn(Contestant contestant) throws Exception {
    try (TargetServer other = new TargetServer(1, 1)) {
      List<URI> uris = List.of(plain("/"), URI.create("http://127.0.0.1:" + other.port() + "/"));
      long before = server.requests(contestant.wire());
      try (Contestant.Running client = contestant.open(new Ask(uris, Ask.GET, false), 3)) {
        for (int i = 0; i < 6; i++) {
          call(client);
        }
      }
      assertEquals(before + 3, server.requests(contestant.wire()));
      assertEquals(3, other.requests(contestant.wire()));
    }
  }

  /** A server that is not there is a failure, for each. */
  @ParameterizedTest
  @MethodSource("contestants")
  void failuresAreTold(Contestant contestant) {
    URI nobody = URI.create("http://127.0.0.1:1/");
    try (Contestant.Running client = contestant.open(Ask.get(nobody), 1)) {
      assertThrows(Exception.class, () -> call(client));
    }
  }

  private static URI plain(String path) {
    return URI.create("http://127.0.0.1:" + server.port() + path);
  }

  private static URI tls(String path) {
    return URI.create("https://127.0.0.1:" + server.tlsPort() + path);
  }

  private static void callsByItsWire(Contestant contestant, Ask ask) throws Exception {
    long before = server.requests(contestant.wire());
    long bytesBefore = server.bodyBytes();
    try (Contestant.Running client = contestant.open(ask, 2)) {
      call(client);
      call(client);
    }
    assertEquals(bytesBefore + 2L * ask.body().length, server.bodyBytes());
    assertEquals(before + 2, server.requests(contestant.wire()));
  }

  private static void call(Contestant.Running client) throws Exception {
    if (client instanceof Contestant.Blocking blocking) {
      blocking.call();
      return;
    }
    CompletableFuture<Void> ended = new CompletableFuture<>();
    ((Contestant.Async) client)
        .start(
            new Contestant.Outcome() {
              @Override
              public void succeeded() {
                assertTrue(ended.complete(null), "told twice");
              }

              @Override
              public void failed(Throwable failure) {
                ended.completeExceptionally(failure);
              }
            });
    try {
      ended.get(30, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }
}
