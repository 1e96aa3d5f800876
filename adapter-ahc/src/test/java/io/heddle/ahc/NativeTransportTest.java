package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.time.Duration;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Request;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The engine on epoll or io_uring in place of the JDK's selectors. All other tests run without the
 * native libraries on their class path, since AHC takes epoll by itself where it finds it.
 */
@Timeout(60)
class NativeTransportTest {

  @BeforeEach
  void librariesAreHere() {
    try {
      Class.forName("io.netty.channel.epoll.Epoll");
    } catch (ClassNotFoundException e) {
      abort("the native libraries are on the class path of this class's own test run only");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void callsGoThroughEpoll(Wire wire) throws Exception {
    assumeTrue(Epoll.isAvailable(), "epoll is a thing of Linux, and its library of x86-64 here");
    assertCallsGoThrough(EpollIoHandler.class, true, wire);
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void callsGoThroughIoUring(Wire wire) throws Exception {
    assumeTrue(
        IoUring.isAvailable(),
        "io_uring is a thing of newer Linux, which many containers forbid, and its library of x86-64 here");
    assertCallsGoThrough(IoUringIoHandler.class, false, wire);
  }

  private static void assertCallsGoThrough(
      Class<? extends IoHandler> transport, boolean onlyEpoll, Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        BlockingAhcClient client =
            new BlockingAhcClient(
                Dsl.config()
                    .setUseNativeTransport(true)
                    .setUseOnlyEpollNativeTransport(onlyEpoll)
                    .setHttp2CleartextEnabled(wire.isMultiplexed())
                    .build())) {
      IoEventLoopGroup loops =
          assertInstanceOf(IoEventLoopGroup.class, client.engine().client().getEventLoopGroup());
      assertTrue(loops.isIoType(transport), "the transport that was asked for");
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
