package io.heddle.okhttp;

import io.heddle.Canceller;
import io.heddle.Deadline;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.Response;

/**
 * Moves the rest of a call to a worker, for clients that are rebuilt from ours: {@code
 * newBuilder().build()} makes a plain {@code OkHttpClient}, whose calls this interceptor, the first
 * of all, keeps off OkHttp's sockets and locks if the caller is a virtual thread.
 *
 * <p>Less than {@link BlockingCall} gives: a call that another thread cancels during a name look-up
 * goes on waiting for it, and a caller that gives up waits {@value #PATIENCE_MILLIS} ms for a
 * worker that OkHttp does not let go of, since OkHttp's bookkeeping of the call is not over before.
 */
final class HandOver implements Interceptor {

  private static final int PATIENCE_MILLIS = 1000;

  private final CallWorkers workers;

  HandOver(CallWorkers workers) {
    this.workers = workers;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    if (!Thread.currentThread().isVirtual() || workers.isClosed()) {
      return chain.proceed(chain.request());
    }
    Call call = chain.call();
    if (Thread.currentThread().isInterrupted()) {
      throw OkHttpFailures.interrupted(null);
    }
    Registration registration = new Registration(call);
    OkHttpExchange exchange =
        new OkHttpExchange(
            call,
            () -> chain.proceed(chain.request()),
            deadline(call),
            null,
            () -> workers.leave(registration));
    workers.enter(registration);
    boolean started = false;
    try {
      workers.start(exchange);
      started = true;
      return exchange.await();
    } catch (IOException e) {
      exchange.awaitLeft(started ? PATIENCE_MILLIS : 0);
      throw e;
    } finally {
      if (!started) {
        workers.leave(registration);
      }
    }
  }

  /** Counted from here, which is a moment after OkHttp's own timer has started. */
  private static Deadline deadline(Call call) {
    long nanos = call.timeout().timeoutNanos();
    return nanos == 0
        ? Deadline.none()
        : Deadline.afterNanos(
            Math.max(nanos, nanos + TimeUnit.MILLISECONDS.toNanos(OkHttpExchange.GRACE_MILLIS)));
  }

  /** By identity: one per call. */
  private static final class Registration implements Canceller {
    private final Call call;

    Registration(Call call) {
      this.call = call;
    }

    @Override
    public void cancel() {
      call.cancel();
    }
  }
}
