package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** When a server is silent to a request that has a body, and when it is not. */
@Timeout(60)
class ReadTimeoutOfUploadTest {

  private static final Duration TIMEOUT = Duration.ofMillis(500);

  /** The client has the whole of a body long before a slow network does. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2_TLS"})
  void whatTheClientHasTakenMayStillBeOnItsWay(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        BlockingJdkHttpClient client = client(wire)) {
      URI uri = server.uri(Script.ok().delay(TIMEOUT.multipliedBy(4)));
      byte[] body = new byte[512 * 1024];
      HttpRequest post = request(uri).POST(BodyPublishers.ofByteArray(body)).build();
      assertEquals(200, client.send(post, BodyHandlers.discarding()).statusCode());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2_TLS"})
  void theHandlersTimeIsNotTheServers(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        BlockingJdkHttpClient client = client(wire)) {
      HttpRequest post =
          request(server.uri(Script.ok())).POST(BodyPublishers.ofString("b")).build();
      BodyHandler<Void> slow =
          head -> {
            Clients.linger(TIMEOUT.multipliedBy(3));
            return BodyHandlers.discarding().apply(head);
          };
      assertEquals(200, client.send(post, slow).statusCode());
    }
  }

  /** A request that the server was asked for, and has answered, went out a second time. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2_TLS"})
  void whatIsRedirectedBeforeItsBodyGoesOutOnce(Wire wire) throws Exception {
    HttpClient follows = stock(wire).followRedirects(HttpClient.Redirect.NORMAL).build();
    try (FaultServer server = FaultServer.start(wire);
        BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(follows)) {
      URI target = server.uri(Script.ok().delay(Duration.ofMillis(1800)));
      Script seeOther = Script.answer(303).header("Location", target.toString());
      URI first = server.uri(seeOther.expect(Script.Expect.REFUSE));
      HttpRequest post =
          request(first).expectContinue(true).POST(BodyPublishers.ofString("body")).build();
      assertEquals(200, client.send(post, BodyHandlers.discarding()).statusCode());
      assertEquals(1, server.seen(first).size(), "times sent");
    }
  }

  private static BlockingJdkHttpClient client(Wire wire) {
    return BlockingJdkHttpClient.builder(stock(wire).build()).readTimeout(TIMEOUT).build();
  }
}
