package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.core.Exchange;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.IOSession;
import org.apache.hc.core5.reactor.ProtocolIOSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * A caller that closed a connection to which the I/O thread wrote, or from which it read, waited in
 * the JDK's channel, in a monitor: on JDK 21 it held its carrier for as long as that took.
 */
@Timeout(60)
class ClosedUnderTheEngineTest {

  /** The lock under which the engine writes is one that lets a carrier go. */
  @Test
  @EnabledForJreRange(max = JRE.JAVA_23)
  void aCallerLetsAWriteComeToItsEndBeforeItCloses() throws Exception {
    ReentrantLock lock = new ReentrantLock();
    AtomicBoolean closed = new AtomicBoolean();
    CountDownLatch writing = new CountDownLatch(1);
    CountDownLatch written = new CountDownLatch(1);
    ReactorConnection connection =
        new ReactorConnection(HttpVersionPolicy.FORCE_HTTP_2, new Exchange<>(), new Exchange<>());
    connection.bind(session(lock, closed));
    Thread writer =
        Thread.ofPlatform()
            .start(
                () -> {
                  lock.lock();
                  try {
                    writing.countDown();
                    written.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  } finally {
                    lock.unlock();
                  }
                });
    writing.await();
    Thread caller = Thread.startVirtualThread(() -> connection.close(CloseMode.IMMEDIATE));
    Threads.await("the caller waits or closes", () -> lock.hasQueuedThread(caller) || closed.get());
    assertFalse(closed.get(), "the channel is closed under the write");
    assertFalse(connection.isOpen(), "nothing begins on it");
    written.countDown();
    writer.join();
    caller.join();
    assertTrue(closed.get());
  }

  /** Without TLS nothing is locked while the engine reads, so the session has a lock of its own. */
  @Test
  @EnabledForJreRange(max = JRE.JAVA_23)
  void aCallerLetsAReadComeToItsEndBeforeItCloses() throws Exception {
    AtomicBoolean closed = new AtomicBoolean();
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch read = new CountDownLatch(1);
    IOSession slow =
        (IOSession)
            Proxy.newProxyInstance(
                ClosedUnderTheEngineTest.class.getClassLoader(),
                new Class<?>[] {IOSession.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "read" -> {
                        reading.countDown();
                        read.await();
                        yield 1;
                      }
                      case "close" -> {
                        closed.set(true);
                        yield null;
                      }
                      default -> throw new UnsupportedOperationException(method.getName());
                    });
    PlainSession session = new PlainSession(slow);
    Thread reader =
        Thread.ofPlatform()
            .start(() -> assertDoesNotThrow(() -> session.read(ByteBuffer.allocate(1))));
    reading.await();
    Thread caller = Thread.startVirtualThread(() -> session.close(CloseMode.IMMEDIATE));
    Threads.await(
        "the caller waits or closes",
        () -> caller.getState() == Thread.State.WAITING || closed.get());
    assertFalse(closed.get(), "the channel is closed under the read");
    read.countDown();
    reader.join();
    caller.join();
    assertTrue(closed.get());
  }

  private static ProtocolIOSession session(ReentrantLock lock, AtomicBoolean closed) {
    return (ProtocolIOSession)
        Proxy.newProxyInstance(
            ClosedUnderTheEngineTest.class.getClassLoader(),
            new Class<?>[] {ProtocolIOSession.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getLock" -> lock;
                  case "close" -> {
                    closed.set(true);
                    yield null;
                  }
                  // a close asks for nothing else
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
