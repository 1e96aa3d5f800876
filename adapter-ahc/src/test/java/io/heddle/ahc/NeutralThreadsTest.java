package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.heddle.IoThread;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The engine's threads serve all callers, and have nothing of him whose call made them. */
@Timeout(60)
class NeutralThreadsTest {

  private static final InheritableThreadLocal<String> USER = new InheritableThreadLocal<>();

  @Test
  void nothingIsInherited() throws Exception {
    CompletableFuture<Object> inherited = new CompletableFuture<>();
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    Thread maker =
        new Thread(
            () -> {
              USER.set("penelope");
              Thread.currentThread().setContextClassLoader(new URLClassLoader(new URL[0]));
              ThreadFactory factory = AhcIoThread.factory("loom");
              factory
                  .newThread(
                      () -> {
                        inherited.complete(USER.get() == null ? "nothing" : USER.get());
                        thread.complete(Thread.currentThread());
                      })
                  .start();
            });
    maker.start();
    assertEquals("nothing", inherited.get());
    assertInstanceOf(IoThread.class, thread.get());
    assertSame(
        ClassLoader.getSystemClassLoader(), thread.get().getContextClassLoader(), "class loader");
    assertNull(USER.get());
  }
}
