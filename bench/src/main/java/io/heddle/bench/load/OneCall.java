package io.heddle.bench.load;

import io.heddle.bench.contestants.Contestant;
import java.util.concurrent.CountDownLatch;

/**
 * One call among many, which is started and not followed by another.
 *
 * @param intended when it is meant to start, on the clock of {@link System#nanoTime}
 */
public record OneCall(long intended, Tally tally, CountDownLatch ended)
    implements Contestant.Outcome {

  /** Starts it, on a thread of its own if it is one that waits; a failure to do so is its end. */
  public static void start(
      Contestant.Running client,
      Callers threads,
      long intended,
      Tally tally,
      CountDownLatch ended) {
    OneCall call = new OneCall(intended, tally, ended);
    tally.started();
    try {
      if (client instanceof Contestant.Async async) {
        async.start(call);
      } else {
        Contestant.Blocking blocking = (Contestant.Blocking) client;
        threads.start(() -> call.make(blocking));
      }
    } catch (Exception | OutOfMemoryError e) { // such an error is that of a thread that cannot be
      call.failed(e);
    }
  }

  private void make(Contestant.Blocking client) {
    try {
      client.call();
    } catch (Exception e) {
      failed(e);
      return;
    }
    succeeded();
  }

  @Override
  public void succeeded() {
    tally.succeeded(System.nanoTime() - intended);
    ended.countDown();
  }

  @Override
  public void failed(Throwable failure) {
    tally.failed(failure);
    ended.countDown();
  }
}
