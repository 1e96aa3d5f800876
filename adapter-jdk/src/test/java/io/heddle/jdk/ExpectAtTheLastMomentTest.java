package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.start;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A server answers an expectation just as the second for that is over, and the request goes again
 * without one. Whichever comes first, no body is sent twice, and the caller gets the last answer.
 */
@Timeout(60)
class ExpectAtTheLastMomentTest {

  private static final int WANTED = 200;
  private static final int REFUSED = 417;
  private static final int ANSWER = 100;

  /** A call, and where the server saw it. */
  private record Asked(int status, URI uri, CompletableFuture<HttpResponse<byte[]>> answer) {}

  /**
   * Each moment twice: the server wants the body, or has its answer. Both take it past the second.
   */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2_TLS"})
  void whicheverComesFirst(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(wire).build())) {
      client.send(request(server.uri(Script.ok())).build(), BodyHandlers.discarding()); // warms up
      List<Asked> all = new ArrayList<>();
      for (int millis = 900; millis <= 1100; millis += 20) {
        Duration moment = Duration.ofMillis(millis);
        Duration rest = Duration.ofMillis(200);
        Script wants = Script.answer(WANTED).continueAfter(moment).delay(rest);
        Script refuses = Script.answer(REFUSED).expect(Script.Expect.REFUSE).delay(moment);
        all.add(ask(client, WANTED, server.uri(wants.body(ANSWER))));
        all.add(ask(client, REFUSED, server.uri(refuses.body(ANSWER).drip(ANSWER / 2, rest))));
      }
      for (Asked each : all) {
        HttpResponse<byte[]> answer = each.answer.get(Clients.LONG_SECONDS, TimeUnit.SECONDS);
        List<Seen> seen = server.seen(each.uri);
        assertEquals(each.status, answer.statusCode(), seen::toString);
        assertEquals(ANSWER, answer.body().length, seen::toString);
        boolean again = seen.size() > 1;
        assertEquals(again ? 2 : 1, seen.size(), "times sent");
        assertEquals(
            again || each.status == WANTED, seen.getLast().isBodyComplete(), seen::toString);
        if (again) {
          assertEquals(0, seen.getFirst().bodyBytes(), seen::toString);
        }
      }
      assertEquals(0, client.inFlight());
    }
  }

  /** The body would go out on a connection of HTTP/2, which the call's end leaves open. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2_TLS"})
  void aBodyThatIsWantedTooLateIsNotSent(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      URI uri = server.uri(Script.ok());
      try (BlockingJdkHttpClient client =
          BlockingJdkHttpClient.wrap(new LateWord(stock(wire).build()))) {
        HttpResponse<byte[]> answer =
            ask(client, WANTED, uri).answer.get(Clients.LONG_SECONDS, TimeUnit.SECONDS);
        assertEquals(WANTED, answer.statusCode());
      }
      List<Seen> seen = server.seen(uri);
      assertEquals(2, seen.size(), "times sent");
      Seen first = seen.getFirst();
      Clients.await("the first is over", () -> first.isAborted() || first.isAnswered());
      assertEquals(0, first.bodyBytes());
      assertTrue(seen.getLast().isBodyComplete());
    }
  }

  private static Asked ask(BlockingJdkHttpClient client, int status, URI uri) {
    HttpRequest post =
        request(uri).expectContinue(true).POST(BodyPublishers.ofString("body")).build();
    return new Asked(status, uri, start(() -> client.send(post, BodyHandlers.ofByteArray())));
  }

  /** As if the server's word came once the caller is woken, and before the JDK ends the call. */
  private static final class LateWord extends ForwardingClient {
    private volatile boolean woken;

    LateWord(HttpClient client) {
      super(client);
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
        throws IOException, InterruptedException {
      Thread caller = Thread.currentThread();
      BodyPublisher body = request.bodyPublisher().orElseThrow();
      BodyPublisher late =
          new BodyPublisher() {
            @Override
            public long contentLength() {
              return body.contentLength();
            }

            @Override
            public void subscribe(Flow.Subscriber<? super ByteBuffer> client) {
              while (request.expectContinue() && !woken && !isCancelling(caller)) {
                Clients.linger(Duration.ofMillis(2));
              }
              body.subscribe(client);
            }
          };
      try {
        return super.send(
            HttpRequest.newBuilder(request, (name, value) -> true)
                .method(request.method(), late)
                .build(),
            handler);
      } catch (InterruptedException e) {
        woken = true;
        throw e;
      }
    }

    /** Over HTTP/2 that waits for a lock of who subscribes. */
    private static boolean isCancelling(Thread caller) {
      return Arrays.stream(caller.getStackTrace())
          .anyMatch(frame -> frame.getMethodName().equals("cancel"));
    }
  }
}
