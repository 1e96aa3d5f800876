package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.core.Exchange;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.IOSession;
import org.apache.hc.core5.reactor.ProtocolIOSession;
import org.jspecify.annotations.Nullable;
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
    connection.bind(
        session(
            ProtocolIOSession.class,
            lock,
            "close",
            () -> {
              closed.set(true);
              return null;
            }));
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

  /** So a caller lets a read come to its end, too. Without TLS it is not the engine's own way. */
  @Test
  @EnabledForJreRange(max = JRE.JAVA_23)
  void theEngineReadsUnderThatLock() throws Exception {
    ReentrantLock lock = new ReentrantLock();
    AtomicBoolean locked = new AtomicBoolean();
    IOSession session =
        session(
            IOSession.class,
            lock,
            "read",
            () -> {
              locked.set(lock.isHeldByCurrentThread());
              return 1;
            });
    assertEquals(1, new PlainSession(session).read(ByteBuffer.allocate(1)));
    assertTrue(locked.get(), "the channel can be closed under the read");
    assertFalse(lock.isLocked());
  }

  /** A session that has a lock, and is asked for one thing beside it. */
  private static <T extends IOSession> T session(
      Class<T> type, ReentrantLock lock, String asked, Supplier<@Nullable Object> answer) {
    return type.cast(
        Proxy.newProxyInstance(
            ClosedUnderTheEngineTest.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals("getLock")) {
                return lock;
              }
              assertEquals(asked, method.getName());
              return answer.get();
            }));
  }
}
