package io.heddle.apache;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.core.Exchange;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.core5.http.impl.nio.HttpConnectionEventHandler;
import org.apache.hc.core5.http.nio.RequestChannel;
import org.apache.hc.core5.http.protocol.HttpCoreContext;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.EventMask;
import org.apache.hc.core5.reactor.ProtocolIOSession;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the engine says in one event is one write, in its order, and nothing of it is lost. */
class GatheredOutputTest {

  private static final int LONG = 16 * 1024;

  private final ReentrantLock lock = new ReentrantLock();
  private final List<String> log = new ArrayList<>();
  private int room = Integer.MAX_VALUE;
  private boolean broken;
  private boolean open = true;

  private final ProtocolIOSession socket =
      (ProtocolIOSession)
          Proxy.newProxyInstance(
              GatheredOutputTest.class.getClassLoader(),
              new Class<?>[] {ProtocolIOSession.class},
              (proxy, method, args) ->
                  switch (method.getName()) {
                    case "getLock" -> lock;
                    case "isOpen" -> open;
                    case "write" -> written((ByteBuffer) args[0]);
                    case "setEvent" -> logged((int) args[0] == EventMask.WRITE ? "room?" : "event");
                    case "close" -> closed("close " + args[0]);
                    default -> throw new AssertionError("not asked for: " + method);
                  });

  private final GatheredOutput output = new GatheredOutput(socket);

  private int written(ByteBuffer src) throws IOException {
    assertTrue(lock.isHeldByCurrentThread());
    if (broken) {
      throw new IOException("broken");
    }
    byte[] bytes = new byte[Math.min(room, src.remaining())];
    src.get(bytes);
    room -= bytes.length;
    if (bytes.length > 0) {
      logged(bytes.length >= LONG ? "long" : new String(bytes, US_ASCII));
    }
    return bytes.length;
  }

  private @Nullable Object logged(String what) {
    log.add(what);
    return null;
  }

  private @Nullable Object closed(String how) {
    open = false;
    return logged(how);
  }

  private int write(String text) throws IOException {
    return output.write(ByteBuffer.wrap(text.getBytes(US_ASCII)));
  }

  private void goAwayAndClose() throws IOException {
    write("goaway");
    output.close();
  }

  @Test
  void whatAnEventSaysIsWrittenAtOnce() throws IOException {
    output.gather(
        true,
        () -> {
          assertEquals(3, write("one"));
          assertEquals(3, write("two"));
          assertEquals(List.of(), log);
        });
    assertEquals(List.of("onetwo"), log);
    assertFalse(output.hasLostAll());
  }

  @Test
  void outsideOfAnEventEachFrameIsWrittenForItself() throws IOException {
    assertEquals(3, write("one"));
    assertEquals(3, write("two"));
    assertEquals(List.of("one", "two"), log);
  }

  @Test
  void anEventThatSaysNothingWritesNothing() throws IOException {
    output.gather(true, () -> {});
    assertEquals(List.of(), log);
  }

  @Test
  void whatIsLongGoesUncopiedAfterWhatWasSaidBefore() throws IOException {
    output.gather(
        true,
        () -> {
          write("one");
          assertEquals(LONG, output.write(ByteBuffer.allocate(LONG)));
          assertEquals(List.of("one", "long"), log);
          write("two");
        });
    assertEquals(List.of("one", "long", "two"), log);
  }

  @Test
  void moreThanIsKeptIsWrittenInBetween() throws IOException {
    String frame = "x".repeat(3_000);
    output.gather(
        true,
        () -> {
          for (int i = 0; i < 5; i++) {
            assertEquals(3_000, write(frame));
          }
        });
    assertEquals(List.of(6_000, 6_000, 3_000), log.stream().map(String::length).toList());
  }

  @Test
  void aFullSocketTakesNothingAndIsAskedForRoom() throws IOException {
    room = 4;
    output.gather(
        true,
        () -> {
          write("one");
          write("two");
        });
    assertEquals(List.of("onet", "room?"), log);
    assertEquals(0, write("three"), "it would come before the rest");
    room = 1;
    log.clear();
    output.gather(true, () -> write("!"));
    assertEquals(List.of("w", "room?"), log);
    room = 100;
    log.clear();
    output.gather(true, () -> {});
    assertEquals(List.of("o!"), log);
    assertEquals(5, write("three"));
  }

  @Test
  void aFullSocketLetsTheEngineKeepWhatIsLong() throws IOException {
    room = 1;
    output.gather(
        true,
        () -> {
          write("one");
          assertEquals(0, output.write(ByteBuffer.allocate(LONG)));
        });
    assertEquals(List.of("o", "room?"), log);
  }

  @Test
  void aGracefulCloseComesAfterWhatWasSaid() throws IOException {
    output.gather(true, this::goAwayAndClose);
    assertEquals(List.of("goaway", "close GRACEFUL"), log);
  }

  @Test
  void aGracefulCloseWaitsForRoomAndIsAskedForAgain() throws IOException {
    room = 2;
    output.gather(true, this::goAwayAndClose);
    assertEquals(List.of("go", "room?"), log);
    room = 100;
    log.clear();
    output.gather(true, output::close);
    assertEquals(List.of("away", "close GRACEFUL"), log);
  }

  /** Or nobody would ask again: there is nothing left that the engine waits for room for. */
  @Test
  void aCloseThatWasPutOffIsAskedForAgainAlsoIfTheRestIsWrittenMeanwhile() throws IOException {
    room = 2;
    output.gather(
        true,
        () -> {
          goAwayAndClose();
          room = 100;
        });
    assertEquals(List.of("go", "away", "room?"), log);
  }

  /** As the engine closes for an error of the peer's, which may never read. */
  @Test
  void anEventInWhichTheEngineClosesOnceDoesNotPutItOff() throws IOException {
    room = 2;
    output.gather(false, this::goAwayAndClose);
    assertEquals(List.of("go", "close GRACEFUL"), log);
  }

  /** A caller may close as the engine takes the end of an upload for sent. */
  @Test
  void aConnectionThatIsClosedGracefullyWritesBefore() throws IOException {
    ReactorConnection connection =
        new ReactorConnection(HttpVersionPolicy.FORCE_HTTP_2, new Exchange<>(), new Exchange<>());
    connection.bind(socket);
    connection.started(new Http2Session(connection, 1024, output));
    output.gather(
        true,
        () -> {
          write("end");
          connection.close(CloseMode.GRACEFUL);
        });
    assertEquals(List.of("end", "close GRACEFUL"), log);
  }

  @Test
  void whatIsLongAndFailsIsLostToo() {
    broken = true;
    assertThrows(
        IOException.class,
        () -> output.gather(true, () -> output.write(ByteBuffer.allocate(LONG))));
    assertTrue(output.hasLostAll());
  }

  /** As the engine closes when the connection has failed: nobody will ask again. */
  @Test
  void outsideOfAnEventAGracefulCloseDoesNotWait() throws IOException {
    room = 2;
    output.gather(true, () -> write("goaway"));
    log.clear();
    output.close();
    assertEquals(List.of("close GRACEFUL"), log.subList(log.size() - 1, log.size()));
  }

  @Test
  void anImmediateCloseWritesNothing() throws IOException {
    output.gather(
        true,
        () -> {
          write("one");
          output.close(CloseMode.IMMEDIATE);
        });
    assertEquals(List.of("close IMMEDIATE"), log);
    assertTrue(output.hasLostAll());
  }

  @Test
  void aWriteThatFailsFailsTheEvent() throws IOException {
    broken = true;
    IOException thrown =
        assertThrows(IOException.class, () -> output.gather(true, () -> write("request")));
    assertEquals("broken", thrown.getMessage());
    assertTrue(output.hasLostAll());
    assertThrows(
        IOException.class, () -> output.gather(true, () -> output.write(ByteBuffer.allocate(1))));
  }

  @Test
  void whatIsPartlyWrittenIsNotLost() throws IOException {
    room = 2;
    output.gather(true, () -> write("request"));
    assertFalse(output.hasLostAll());
    broken = true;
    assertThrows(
        IOException.class,
        () ->
            output.gather(
                true,
                () -> {
                  broken = false;
                  room = 1;
                  output.write(ByteBuffer.allocate(LONG)); // writes a byte of what is left
                  broken = true;
                }));
    assertFalse(output.hasLostAll());
  }

  @Test
  void theEventsOwnFailureComesFirst() {
    IOException own = new IOException("of the event");
    broken = true;
    IOException thrown =
        assertThrows(
            IOException.class,
            () ->
                output.gather(
                    true,
                    () -> {
                      write("one");
                      throw own;
                    }));
    assertSame(own, thrown);
    assertEquals("broken", own.getSuppressed()[0].getMessage());
  }

  /** A POST may go again, which would be sent twice if a byte of it were on its way. */
  @Test
  void aRequestOfWhichNothingWasWrittenWasNotProcessed() throws Exception {
    assertTrue(failedAfter(true).isNotProcessed());
    broken = false;
    assertFalse(failedAfter(false).isNotProcessed());
  }

  private ApacheExchange failedAfter(boolean lost) throws Exception {
    ReactorConnection connection =
        new ReactorConnection(HttpVersionPolicy.FORCE_HTTP_2, new Exchange<>(), new Exchange<>());
    Http2Session session = new Http2Session(connection, 1024, output);
    ApacheExchange exchange = new ApacheExchange(new HttpPost("http://localhost/"), null, null);
    exchange.beginOn(session);
    RequestChannel channel = (request, entity, context) -> write("headers");
    session.begin(
        (HttpConnectionEventHandler)
            Proxy.newProxyInstance(
                GatheredOutputTest.class.getClassLoader(),
                new Class<?>[] {HttpConnectionEventHandler.class},
                (proxy, method, args) -> {
                  if (method.getName().equals("outputReady")) {
                    exchange.produceRequest(channel, HttpCoreContext.create());
                    broken = lost;
                  }
                  return null;
                }));
    if (lost) {
      assertThrows(IOException.class, () -> session.outputReady(socket));
    } else {
      session.outputReady(socket);
    }
    exchange.failed(new IOException("the connection broke"));
    return exchange;
  }
}
