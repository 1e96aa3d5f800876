package io.heddle.bench.jmh;

import java.util.concurrent.LinkedTransferQueue;

/** Stands for a library's I/O thread: a platform thread that waits on a queue for work. */
final class WorkQueue {

  private final LinkedTransferQueue<Runnable> queue = new LinkedTransferQueue<>();
  private volatile boolean stopped;

  void start() {
    stopped = false;
    Thread.ofPlatform().daemon().name("io").start(this::work);
  }

  private void work() {
    while (!stopped) {
      try {
        queue.take().run();
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  void stop() {
    stopped = true;
    queue.add(() -> {});
  }

  void add(Runnable work) {
    queue.add(work);
  }
}
