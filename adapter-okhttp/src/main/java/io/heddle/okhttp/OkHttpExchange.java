package io.heddle.okhttp;

import io.heddle.Canceller;
import io.heddle.Deadline;
import io.heddle.Exchange;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import okhttp3.Call;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * One call of OkHttp's on its way through a worker, which blocks in place of the caller.
 *
 * <pre>{@code
 * caller                              worker
 *   start ─────────────────────────▶ run
 *   await        parks                 Work.run: OkHttp's own blocking call
 *                ◀──────head────────   Exchange.complete, fail
 *   OkHttpResponseBody.read  parks ◀── BodyPump.run: reads OkHttp's body
 *                                      left: the body is closed, the connection given back
 * }</pre>
 *
 * <p>A caller that gives up cancels OkHttp's call and leaves; the worker follows when OkHttp lets
 * it go. That is nearly always at once, so the caller waits for it for {@value #GRACE_MILLIS} ms:
 * what listeners are told is then told, and the connection given back, before the call ends. In a
 * name look-up, or in a write to a shared connection that has stalled, the caller leaves without
 * it.
 */
final class OkHttpExchange implements Runnable, Canceller {

  /** OkHttp's part: blocks until the head of the response is there. */
  @FunctionalInterface
  interface Work {
    Response run() throws IOException;
  }

  static final int GRACE_MILLIS = 100;

  private static final int SWITCHING_PROTOCOLS = 101;

  private final Call call;
  private final Work work;
  private final Deadline deadline;
  private final @Nullable CallTicket ticket;
  private final Runnable atEnd;

  private final Exchange<Response> head = new Exchange<>();
  private final Exchange<Boolean> left = new Exchange<>();

  // Written by the worker: the failure before `left`, the pump before `head`.
  private @Nullable Throwable failure;
  private volatile @Nullable BodyPump pump;

  /**
   * An exchange that has not begun.
   *
   * @param call OkHttp's own, to be cancelled where the caller gives up
   * @param deadline up to which the caller waits
   * @param ticket for the gates of hosts; null if there are none
   * @param atEnd runs on the worker as it leaves
   */
  OkHttpExchange(
      Call call, Work work, Deadline deadline, @Nullable CallTicket ticket, Runnable atEnd) {
    this.call = call;
    this.work = work;
    this.deadline = deadline;
    this.ticket = ticket;
    this.atEnd = atEnd;
    head.onAbandon(this::abort);
  }

  /** How long OkHttp's own timer has to end a call before the caller ends it. */
  static long graceNanos() {
    return TimeUnit.MILLISECONDS.toNanos(GRACE_MILLIS);
  }

  // ---- caller -------------------------------------------------------------------------------

  /** Waits for the head of the response. */
  Response await() throws IOException {
    try {
      return head.await(deadline);
    } catch (ExecutionException e) {
      throw OkHttpFailures.rethrow(Objects.requireNonNull(e.getCause()));
    } catch (InterruptedException e) {
      awaitLeft(GRACE_MILLIS);
      throw OkHttpFailures.interrupted(e);
    } catch (TimeoutException e) {
      awaitLeft(GRACE_MILLIS);
      throw OkHttpFailures.timedOut(e);
    } catch (CancellationException e) {
      Throwable own = awaitLeft(GRACE_MILLIS) ? failure : null;
      if (own != null) {
        throw OkHttpFailures.rethrow(own);
      }
      throw OkHttpFailures.cancelled(e);
    }
  }

  /**
   * Waits until the worker is gone.
   *
   * @return whether it is
   */
  boolean awaitLeft(int millis) {
    try {
      return left.awaitDone(Deadline.afterNanos(TimeUnit.MILLISECONDS.toNanos(millis)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return left.isDone();
    }
  }

  Deadline deadline() {
    return deadline;
  }

  // ---- worker -------------------------------------------------------------------------------

  @Override
  public void run() {
    try {
      Response response = ticket == null ? work.run() : ConnectionGates.run(ticket, work);
      BodyPump begun = isHandedOver(response) ? new BodyPump(this, response) : null;
      if (begun == null) {
        atEnd.run();
        deliver(response, response);
      } else {
        pump = begun;
        if (deliver(begun.response(), response)) {
          begun.run(atEnd);
        } else {
          atEnd.run();
        }
      }
    } catch (Throwable t) { // an interceptor may throw anything, and all of it is the caller's
      failure = t;
      atEnd.run();
      head.fail(t); // wakes the caller in await
    } finally {
      left.complete(true); // wakes a caller that gave up, and waits for what comes of it
    }
  }

  private boolean deliver(Response response, Response own) {
    if (head.complete(response)) { // wakes the caller in await
      return true;
    }
    closeQuietly(own);
    return false;
  }

  /** All but what is in memory, and what is no body: the two ends of an upgraded connection. */
  private static boolean isHandedOver(Response response) {
    ResponseBody body = response.body();
    return body != null
        && response.code() != SWITCHING_PROTOCOLS
        && !(body.source() instanceof Buffer);
  }

  static void closeQuietly(Response response) {
    try {
      response.close();
    } catch (RuntimeException e) {
      // nobody is left to be told
    }
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** Cancels the call, whose caller is woken at once, wherever the worker may be. */
  @Override
  public void cancel() {
    call.cancel();
    head.cancel(); // wakes the caller in await
    wakeWorker();
  }

  boolean isCancelled() {
    return call.isCanceled();
  }

  /** The caller gave up: cancels OkHttp's call, which OkHttp does without waiting. */
  void abort() {
    try {
      call.cancel();
    } catch (RuntimeException e) {
      // of a listener that is told; the caller has a failure of its own
    }
    wakeWorker();
  }

  /** If it waits for room or for a connection, it finds the call cancelled. */
  private void wakeWorker() {
    BodyPump running = pump;
    if (running != null) {
      running.wake();
    }
    if (ticket != null) {
      ticket.wake();
    }
  }

  static boolean isDuplex(Request request) {
    RequestBody body = request.body();
    return body != null && body.isDuplex();
  }
}
