package io.heddle.okhttp;

import io.heddle.core.Bell;
import io.heddle.core.CallEvent;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import io.heddle.core.Signal;
import java.io.IOException;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * One request on a connection, and its response, which a worker sends and waits for while the
 * caller parks, writes the request's body, and tells listeners.
 *
 * <pre>{@code
 * caller                                      worker
 *   execute ───────────────────────────────▶  run: OkHttp's CallServerInterceptor
 *     OkHttpRequestBody.write   bytes ──────▶   OkHttpRequestBody.writeTo
 *     runTasks                  ◀── events ──
 *                               ◀── head ────   Exchange.complete, fail
 *   OkHttpResponseBody.read     ◀── bytes ───   BodyPump.run, if it pumps
 *                               ◀── events ──   left
 * }</pre>
 *
 * <p>A caller that gives up cancels OkHttp's call and leaves; the worker follows when OkHttp lets
 * it go. That is nearly always at once, so the caller waits for it for {@value #GRACE_MILLIS} ms:
 * then listeners are told in their order. In a write to a shared connection that has stalled, the
 * caller leaves without it; OkHttp takes the exchange from the call, and what the worker says later
 * is not told to anybody. A caller that has done with the body leaves without it as well; the call
 * ends with the worker then, who tells the rest.
 */
final class OkHttpExchange implements Runnable {

  /** As long as OkHttp itself reads on in a body that is closed, too. */
  private static final int GRACE_MILLIS = 100;

  private final Interceptor.Chain chain;
  private final LiveCall call;
  private final boolean pumps;
  private final @Nullable OkHttpRequestBody body;

  private final Exchange<Response> head = new Exchange<>();
  private final Signal left = new Signal();

  // What the worker wants the caller to do, who waits at the bell for that, and for the head.
  // What comes of the body is told when the caller reads it: OkHttp has more to tell before.
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final Queue<Runnable> tasksOfBody = new ConcurrentLinkedQueue<>();
  private final Bell bell = new Bell();
  private final ReentrantLock telling = new ReentrantLock();
  private volatile boolean abandoned;
  private volatile boolean read; // the caller may not come by again

  // Written by the worker: the failure before `left`, the pump before `head`.
  private volatile @Nullable Thread worker;
  private @Nullable Throwable failure;
  private volatile @Nullable BodyPump pump;

  /**
   * An exchange that has not begun.
   *
   * @param chain of the last network interceptor
   * @param pumps whether the worker reads the response's body as well
   */
  OkHttpExchange(Interceptor.Chain chain, LiveCall call, boolean pumps) {
    this.chain = chain;
    this.call = call;
    this.pumps = pumps;
    RequestBody own = chain.request().body();
    this.body =
        own == null ? null : new OkHttpRequestBody(this, chain.request(), own, call.hasListener());
  }

  Interceptor.Chain chain() {
    return chain;
  }

  // ---- caller -------------------------------------------------------------------------------

  /** Lets a worker send the request, and waits for the head of the response. */
  Response execute(CallEngine engine) throws IOException {
    head.onAbandon(this::abort);
    engine.start(this);
    boolean ended = false;
    try {
      if (body != null && body.isEager()) {
        body.write();
      }
      if (call.hasListener() || (body != null && !body.isEager())) {
        serve();
      }
      Response own = head.await(Deadline.none());
      ended = true;
      BodyPump begun = pump;
      return begun == null ? own : begun.response();
    } catch (ExecutionException e) {
      ended = true;
      throw OkHttpFailures.rethrow(Objects.requireNonNull(e.getCause()));
    } catch (InterruptedException e) {
      throw OkHttpFailures.interrupted(e);
    } catch (CancellationException e) {
      call.leaveIfDead(e);
      Throwable own = awaitLeft() ? failure : null;
      if (own != null) {
        throw OkHttpFailures.rethrow(own);
      }
      throw OkHttpFailures.cancelled(e);
    } catch (TimeoutException e) {
      throw new AssertionError("there is no deadline", e);
    } finally {
      if (!ended) { // by the above, or since a listener or the writer of the body threw
        head.cancel();
        abandoned = !awaitLeft();
        runTasks();
      }
      runAll(tasks);
    }
  }

  /** Does what the worker wants until the head is there, or the caller is interrupted. */
  private void serve() {
    try {
      while (!head.isDone()) {
        bell.await();
        runAll(tasks);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // which the wait for the head finds
    }
  }

  /** Tells listeners what the worker has reported. */
  void runTasks() {
    runAll(tasks);
    runAll(tasksOfBody);
  }

  /** The body is over: tells listeners what came of it, or leaves that to a worker that is late. */
  void awaitEnd() {
    awaitLeft();
    read = true; // before the caller looks for the last time
    runTasks();
  }

  private void runAll(Queue<Runnable> queue) {
    telling.lock(); // a worker that is late may meet a caller that closes the body
    try {
      for (Runnable next = queue.poll(); next != null; next = queue.poll()) {
        next.run();
      }
    } finally {
      telling.unlock();
    }
  }

  /**
   * Waits {@value #GRACE_MILLIS} ms for the worker to go, but not on the thread that ends all
   * timeouts. An interrupt, before or meanwhile, does not end the wait; the flag stays set. A
   * caller that would hold its carrier where it meets the worker, waits on while that is at the
   * {@link PrefaceGate}'s lock.
   *
   * @return whether it is gone
   */
  boolean awaitLeft() {
    if (OkHttpInternals.isWatchdog(Thread.currentThread())) {
      return left.isRaised();
    }
    boolean gone;
    do {
      gone =
          left.awaitUninterruptibly(
              Deadline.afterNanos(TimeUnit.MILLISECONDS.toNanos(GRACE_MILLIS)));
    } while (!gone && PrefaceGate.isAwaitedBy(worker));
    return gone;
  }

  // ---- worker -------------------------------------------------------------------------------

  @Override
  public void run() {
    worker = Thread.currentThread();
    try {
      Request request = chain.request();
      Response own =
          chain.proceed(
              body == null ? request : request.newBuilder().method(request.method(), body).build());
      own = own.newBuilder().request(request).build();
      BodyPump begun = pumps && HandOver.hasStream(own) ? new BodyPump(this, own) : null;
      pump = begun;
      boolean delivered = head.complete(own); // wakes the caller in execute
      bell.ring(); // wakes the caller in serve
      if (!delivered) {
        CallEvent.late(own);
        closeQuietly(own);
      } else if (begun != null) {
        begun.run();
      }
    } catch (Throwable t) { // all of it is the caller's
      failure = t;
      if (body != null) {
        body.fail(t);
      }
      head.fail(t); // wakes the caller in execute
      bell.ring(); // wakes the caller in serve
    } finally {
      left.raise(); // wakes a caller that gave up, and waits for what comes of it
      if (read) { // after all that the worker has to tell
        runTasks();
      }
      BodyPump ended = pump;
      if (ended != null) {
        ended.left();
      }
      worker = null; // this thread may tell of the call for others from now on
    }
  }

  /** Whether the current thread is the worker. */
  boolean isOnWorker() {
    return Thread.currentThread().equals(worker);
  }

  /** After how many bytes the caller closed a body that was still coming; −1 if it did not. */
  long closedAfter() {
    BodyPump running = pump;
    return running != null && isOnWorker() ? running.closedAfter() : -1;
  }

  /** Has the caller do this as soon as it comes by, in the order of these calls. */
  void onCaller(Runnable task) {
    if (!abandoned) {
      (pump == null ? tasks : tasksOfBody).add(task);
      bell.ring(); // wakes the caller in serve
    }
  }

  static void closeQuietly(Response response) {
    try {
      response.close();
    } catch (RuntimeException e) {
      // nobody is left to be told
    }
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** OkHttp's call is cancelled: wakes the caller, wherever the worker may be. */
  void cancel() {
    head.cancel(); // wakes the caller in execute
    bell.ring(); // wakes the caller in serve
    wakeWorker();
  }

  /** Reads the body of the response, if a worker does. */
  @Nullable BodyPump pump() {
    return pump;
  }

  boolean isCancelled() {
    return call.isCanceled();
  }

  /** Whether the caller may go on to write when it has dropped the response. */
  boolean isConversation() {
    return body != null && body.isDuplex();
  }

  /** As OkHttp reports the end of a call that was cancelled, by its timer or by somebody. */
  IOException cancelled(@Nullable Throwable cause) {
    return call.isOverdue() ? OkHttpFailures.timedOut(cause) : OkHttpFailures.cancelled(cause);
  }

  /** The caller gave up: cancels OkHttp's call, which OkHttp does without waiting. */
  void abort() {
    call.abort();
    wakeWorker();
  }

  /**
   * The caller gave up the response's body: as {@link #abort}, unless it is within its call, which
   * then goes on: to where a redirect leads, or as an interceptor has it. OkHttp begins no further
   * exchange before the worker is gone.
   */
  void abortBody() {
    if (!call.isWithin() || OkHttpInternals.isWatchdog(Thread.currentThread())) {
      abort();
      return;
    }
    call.cancelExchange(chain);
    wakeWorker();
    while (!awaitLeft() && !call.isCanceled() && !Thread.currentThread().isInterrupted()) {
      // it is on its way, on a machine that is busy
    }
  }

  /** Whether the worker is gone. */
  boolean isLeft() {
    return left.isRaised();
  }

  /**
   * Nobody holds the response's body any more: as {@link #abort}, if the worker waits. Not if the
   * body is over, as that of a redirect is: its call goes on.
   */
  void drop() {
    BodyPump running = pump;
    if (running != null && !running.isOver()) {
      read = true; // before the look at the worker, who looks at this once it is gone
      if (!left.isRaised()) {
        abort();
      }
    }
  }

  /** If it waits for the caller, it finds the exchange cancelled. */
  private void wakeWorker() {
    BodyPump running = pump;
    if (running != null) {
      running.wake();
    }
    if (body != null) {
      body.cancel();
    }
  }
}
