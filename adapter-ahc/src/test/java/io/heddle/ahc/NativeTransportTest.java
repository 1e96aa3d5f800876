package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import io.netty.channel.epoll.Epoll;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.time.Duration;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Request;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The engine on epoll in place of the JDK's selectors. */
@Timeout(60)
class NativeTransportTest {

  private static BlockingAhcClient client(Wire wire) {
    return new BlockingAhcClient(
        Dsl.config()
            .setUseNativeTransport(true)
            .setUseOnlyEpollNativeTransport(true)
            .setHttp2CleartextEnabled(wire.isMultiplexed())
            .build());
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void callsGoThroughEpoll(Wire wire) throws Exception {
    assumeTrue(Epoll.isAvailable(), "epoll is a thing of Linux, and its library of x86-64 here");
    try (FaultServer server = FaultServer.start(wire);
        BlockingAhcClient client = client(wire)) {
      assertTrue(client.engine().getEventLoopGroup().getClass().getName().contains("Epoll"));
      URI large = server.uri(Script.ok().body(20_000_000));
      try (StreamingResponse response = client.stream(Dsl.get(large.toString()).build())) {
        Thread.sleep(100); // the window fills, and the gate shuts
        assertEquals(20_000_000, response.getBodyAsStream().readAllBytes().length);
      }
      URI upload = server.uri(Script.ok());
      Request post =
          Dsl.post(upload.toString())
              .setBody(new ByteArrayInputStream(new byte[5_000_000]))
              .build();
      assertEquals(200, client.execute(post).getStatusCode());
      assertEquals(5_000_000, server.seen(upload).get(0).bodyBytes());
      Request stalled = Dsl.get(server.uri(Script.ok().fault(Fault.STALL)).toString()).build();
      assertThrows(
          DeadlineExceededException.class, () -> client.execute(stalled, Duration.ofMillis(100)));
      assertEquals(0, client.inFlight());
    }
  }
}
