package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Seen as a user's listener that ran on an I/O thread, once in some hundred calls over TLS. */
class JettyThreadsTest {

  private final JettyThreads threads = new JettyThreads("test");

  @BeforeEach
  void start() throws Exception {
    threads.start();
  }

  @AfterEach
  void stop() throws Exception {
    threads.stop();
  }

  private static Thread ranOn(Consumer<Runnable> executor, InvocationType type) throws Exception {
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    executor.accept(Invocable.from(type, () -> thread.complete(Thread.currentThread())));
    return thread.get(10, TimeUnit.SECONDS);
  }

  @Test
  void whatMayBlockRunsOnAVirtualThread() throws Exception {
    assertTrue(ranOn(threads::execute, InvocationType.BLOCKING).isVirtual());
    assertTrue(
        ranOn(task -> assertTrue(threads.tryExecute(task)), InvocationType.BLOCKING).isVirtual());
  }

  @Test
  void whatDoesNotBlockRunsOnAnIoThread() throws Exception {
    Thread thread = ranOn(threads::execute, InvocationType.NON_BLOCKING);
    assertEquals(JettyIoThread.class, thread.getClass());
    CompletableFuture<Thread> plain = new CompletableFuture<>();
    threads.execute(() -> plain.complete(Thread.currentThread()));
    assertEquals(JettyIoThread.class, plain.get(10, TimeUnit.SECONDS).getClass());
  }
}
