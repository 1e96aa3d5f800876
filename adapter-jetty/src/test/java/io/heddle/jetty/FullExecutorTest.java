package io.heddle.jetty;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A user's executor has no room just when something is due: the end of a connection, say, which its
 * calls wait for. It was forgotten.
 */
@Timeout(60)
class FullExecutorTest {

  private static final class Full extends QueuedThreadPool {
    private volatile boolean full;

    @Override
    public void execute(Runnable job) {
      if (full) {
        throw new RejectedExecutionException("no room");
      }
      super.execute(job);
    }
  }

  @Test
  void whatIsDueIsDone() throws Exception {
    BlockingJettyClient client = new BlockingJettyClient();
    Full executor = new Full();
    client.setExecutor(executor);
    client.start();
    try {
      CountDownLatch done = new CountDownLatch(1);
      executor.full = true;
      client.later(1, TimeUnit.MILLISECONDS, done::countDown);
      done.await();
    } finally {
      executor.full = false;
      client.stop();
    }
  }
}
