package io.heddle.ahc;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.util.concurrent.CountDownLatch;

/** An event loop that is kept from its work, so that the engine runs ahead of it. */
final class HeldLoop {

  private final EventLoop loop;
  private final CountDownLatch goOn = new CountDownLatch(1);

  /**
   * Holds a loop; returns once it is held.
   *
   * @param then what the loop does before all that has come meanwhile
   */
  HeldLoop(EventLoop loop, Runnable then) throws InterruptedException {
    this.loop = loop;
    CountDownLatch held = new CountDownLatch(1);
    loop.execute(
        () -> {
          held.countDown();
          try {
            goOn.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
          then.run();
        });
    held.await();
  }

  /** Waits until the engine has asked the loop for so many streams. */
  void awaitTasks(int count) throws InterruptedException {
    while (((SingleThreadEventExecutor) loop).pendingTasks() < count) {
      Thread.sleep(1);
    }
  }

  void goOn() {
    goOn.countDown();
  }
}
