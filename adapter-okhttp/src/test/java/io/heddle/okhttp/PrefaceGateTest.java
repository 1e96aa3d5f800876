package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import io.heddle.core.Waiter;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.SocketFactory;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who begins an HTTP/2 connection where {@code synchronized} holds the carrier. */
@Timeout(60)
class PrefaceGateTest {

  private static final boolean NEEDED = Waiter.MONITORS_HOLD_CARRIERS;
  private static final ReentrantLock TIMERS = OkHttpInternals.timersLock();

  /** What was written by who has the lock of okio's timers. */
  private final AtomicInteger locked = new AtomicInteger();

  private volatile boolean failing;

  private OkHttpClient client(Wire wire) {
    return BlockingOkHttpClient.wrap(KitClient.settings(wire).socketFactory(watched()).build());
  }

  private SocketFactory watched() {
    return new TestSockets() {
      @Override
      public Socket createSocket() {
        return new Socket() {
          @Override
          public OutputStream getOutputStream() throws IOException {
            return watched(super.getOutputStream());
          }
        };
      }
    };
  }

  private OutputStream watched(OutputStream own) {
    return new FilterOutputStream(own) {
      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        if (TIMERS.isHeldByCurrentThread()) {
          locked.incrementAndGet();
          if (failing) {
            throw new IllegalStateException("of the socket");
          }
        }
        out.write(bytes, offset, length);
      }
    };
  }

  private static int call(OkHttpClient client, FaultServer server) throws IOException {
    Request get = new Request.Builder().url(server.uri(Script.ok().body(100)).toString()).build();
    try (Response response = client.newCall(get).execute()) {
      response.body().bytes();
      return TIMERS.isHeldByCurrentThread() ? -1 : response.code();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1_TLS", "H2_TLS"})
  void aVirtualThreadTakesTheLockBeforeItNeedsIt(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient client = client(wire);
      assertEquals(200, new Caller(() -> call(client, server)).result());
      assertEquals(NEEDED && wire.isMultiplexed(), locked.get() > 0, locked + " times");
      locked.set(0);
      assertEquals(200, new Caller(() -> call(client, server)).result());
      assertEquals(0, locked.get(), "the connection is there");
    }
  }

  @Test
  void aPlatformThreadNeedsNone() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      OkHttpClient client = client(Wire.H2_TLS);
      assertEquals(200, new Caller(Thread.ofPlatform(), () -> call(client, server)).result());
      assertEquals(0, locked.get());
    }
  }

  /** From JDK 24 on nobody takes the lock here. */
  @Test
  @EnabledForJreRange(max = JRE.JAVA_23)
  void theLockIsFreeAgainAfterAnyFailure() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      failing = true;
      OkHttpClient client = client(Wire.H2_TLS);
      Caller caller =
          new Caller(
              () -> {
                try {
                  return call(client, server);
                } catch (IllegalStateException e) {
                  return TIMERS.isHeldByCurrentThread();
                }
              });
      assertEquals(false, caller.result());
      assertNotEquals(0, locked.get());
      failing = false;
      assertEquals(200, new Caller(() -> call(client, server)).result());
    }
  }

  /** Without TLS: from the JDK's own sockets alone one can tell when the preface comes. */
  @Test
  void socketsOfOthersAreLeftAlone() {
    SocketFactory theirs = watched();
    SocketFactory own = SocketFactory.getDefault();
    for (Wire wire : Wire.values()) {
      assertEquals(theirs, OkHttpSockets.of(theirs, KitClient.protocols(wire)));
    }
    assertEquals(own, OkHttpSockets.of(own, KitClient.protocols(Wire.HTTP_1_1)));
    assertIsOurs(true, KitClient.protocols(Wire.H2_TLS));
    assertIsOurs(NEEDED, KitClient.protocols(Wire.H2C));
  }

  private static void assertIsOurs(boolean expected, List<Protocol> protocols) {
    SocketFactory own = SocketFactory.getDefault();
    SocketFactory ours = OkHttpSockets.of(own, protocols);
    assertEquals(expected, !ours.equals(own));
    assertEquals(ours, OkHttpSockets.of(own, protocols), "one for all clients");
    assertEquals(ours, OkHttpSockets.of(ours, protocols));
    assertEquals(own, OkHttpSockets.own(ours));
  }
}
