package io.heddle.jdk;

import io.heddle.core.CallEvent;
import io.heddle.core.CallEvent.Step;
import io.heddle.core.CallReport;
import io.heddle.core.Deadline;
import io.heddle.core.Lanes.Lane;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.HttpResponse.ResponseInfo;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a call that has its place at its origin, from the wrapped client's {@code send} to
 * the end of the body.
 *
 * <pre>{@code
 * SENDING ──head──▶ BODY ──its end, cancel──▶ OVER    the place is given back, once
 *   ├─────failure──────────────────────────▶ OVER
 *   └─────the alarm: in SENDING it interrupts the caller, who is in the client's send;
 *                    in BODY it ends the body
 * }</pre>
 *
 * <p>Over HTTP/1.1 a body that the JDK's own subscriber gathers is left to it: the call is SENDING
 * to its end.
 *
 * <p>The client's own timer, set to what is left of the deadline, ends SENDING. It begins anew with
 * each redirect and each repetition; only then does the alarm ring there, a moment later. That
 * interrupt never outlives {@code send}: {@link #leave} and {@link #ring} share a lock.
 *
 * @param <T> what the user makes of the body
 */
final class JdkExchange<T> {

  /** By how much the client's own timer goes first. */
  private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** How often an upload that waits for its window is looked after. */
  private static final long NUDGE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long the server may take to say that it wants the body. */
  private static final long EXPECT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final Class<?> STREAM = BodySubscribers.ofInputStream().getClass();

  private static final ScheduledThreadPoolExecutor TIMER = timer();

  private final BlockingJdkHttpClient client;
  private final Origin origin;
  private final Lane lane;
  private final HttpRequest request;
  private final Deadline deadline;
  private final @Nullable Duration readTimeout;
  private final boolean expects;
  private final CallEvent event;
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicInteger begun = new AtomicInteger();
  private final ReentrantLock calling = new ReentrantLock();

  // Caller only.
  private boolean refused;

  // Written under calling.
  private volatile @Nullable Thread caller;
  private boolean rung;

  // Shared.
  private volatile @Nullable JdkResponseBody<T> body;
  private volatile @Nullable IOException end;
  private volatile @Nullable Future<?> alarm;
  private volatile @Nullable JdkUpload upload;
  private volatile @Nullable Future<?> nudge;
  private volatile long heardAt = System.nanoTime();
  private volatile boolean responds;
  private volatile boolean ignored;
  private volatile @Nullable HttpResponse<T> brought;

  /**
   * An attempt.
   *
   * @param lane of the origin, in which this has a place; if it is not open, this comes to open the
   *     connection that others wait for
   * @param expects whether to ask the server before the body is sent
   * @param event of the call
   */
  JdkExchange(
      BlockingJdkHttpClient client,
      Origin origin,
      Lane lane,
      HttpRequest request,
      Deadline deadline,
      boolean expects,
      CallEvent event) {
    this.expects = expects;
    this.event = event;
    this.client = client;
    this.origin = origin;
    this.lane = lane;
    this.request = request;
    this.deadline = deadline;
    this.readTimeout = client.readTimeout();
  }

  private static ScheduledThreadPoolExecutor timer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1,
            Thread.ofPlatform()
                .daemon()
                .name("heddle-jdk-timer")
                .inheritInheritableThreadLocals(false)
                .factory());
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  /** Runs this in a while, where it may run code of the user's, and holds up no other. */
  private static Future<?> after(long nanos, Runnable what) {
    return TIMER.schedule(() -> Thread.startVirtualThread(what), nanos, TimeUnit.NANOSECONDS);
  }

  // ---- caller ---------------------------------------------------------------------------------

  /** Sends the request and waits for what the client's {@code send} waits for. */
  HttpResponse<T> send(
      BodyHandler<T> handler, @Nullable PushPromiseHandler<T> push, HttpClient library)
      throws IOException, InterruptedException {
    caller = Thread.currentThread(); // before there is anybody to interrupt it
    setAlarm();
    try {
      HttpRequest its = request();
      BodyHandler<T> ours =
          info -> {
            responds = true; // the handler may fail as a call does that may go again
            return receive(handler.apply(info), info);
          };
      HttpResponse<T> response =
          push == null ? library.send(its, ours) : sendPushed(library, its, ours, push);
      origin.speaks(first(response).version());
      brought = response; // before the look at `over`: he who gives the place back sees it
      if (body == null) {
        release(true);
      }
      if (over.get() && !(response.body() instanceof JdkResponseStream)) {
        event.completed();
      }
      return response;
    } catch (InterruptedException e) {
      if (leave()) {
        throw failure(null);
      }
      throw e;
    } catch (IOException e) {
      refused = JdkInternals.hadNoStream(e);
      if (JdkInternals.wasNotProcessed(e) || JdkInternals.lostConnection(e)) {
        origin.cool(lane);
      }
      throw failure(e);
    } finally {
      if (leave()) {
        Thread.interrupted(); // the alarm's
      }
      if (brought == null) {
        end(JdkFailures.closed()); // what came as the caller was interrupted, the JDK has dropped
        release(false);
      }
    }
  }

  /** What the origin itself answered, be it with a redirect to another. */
  private static HttpResponse<?> first(HttpResponse<?> last) {
    HttpResponse<?> first = last;
    while (first.previousResponse().isPresent()) {
      first = first.previousResponse().get();
    }
    return first;
  }

  /** {@code send} knows no pushes. */
  private HttpResponse<T> sendPushed(
      HttpClient library, HttpRequest its, BodyHandler<T> ours, PushPromiseHandler<T> push)
      throws IOException, InterruptedException {
    Future<HttpResponse<T>> future = library.sendAsync(its, ours, push);
    try {
      return future.get();
    } catch (InterruptedException e) {
      future.cancel(true);
      throw e;
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw cause instanceof IOException io ? io : new IOException(cause);
    }
  }

  /** The user's request, with what is left of the deadline; and a hook, if it comes to connect. */
  private HttpRequest request() throws HttpTimeoutException {
    long nanos = deadline.remainingNanos();
    if (nanos == 0) {
      throw JdkFailures.overBeforeSending("before the request was sent");
    }
    if (readTimeout != null && request.bodyPublisher().isEmpty()) {
      nanos = Math.min(nanos, Deadline.after(readTimeout).remainingNanos());
    }
    boolean cold = !lane.isOpen();
    if (nanos == Long.MAX_VALUE
        && !cold
        && expects == request.expectContinue()
        && request.bodyPublisher().isEmpty()) {
      return request;
    }
    Duration left = nanos == Long.MAX_VALUE ? null : Duration.ofNanos(nanos);
    return new SentRequest(request, left, this, cold);
  }

  /** What the body fails with: the client's own timer may ring at the moment of the head. */
  Throwable failureOfBody(Throwable found) {
    return found instanceof HttpTimeoutException late ? failure(late) : found;
  }

  private IOException failure(@Nullable IOException found) {
    IOException why = end;
    if (why != null) {
      return JdkFailures.again(why);
    }
    boolean late = deadline.remainingNanos() < GRACE_NANOS; // the client's timer may be early
    if (found == null || (found instanceof HttpTimeoutException && late)) {
      return JdkFailures.over(found);
    }
    return found;
  }

  /** The client's {@code send} is over; whether the alarm interrupted it. */
  private boolean leave() {
    calling.lock();
    try {
      caller = null;
      boolean its = rung;
      rung = false;
      return its;
    } finally {
      calling.unlock();
    }
  }

  boolean hasBrought(HttpResponse<?> response) {
    return response.equals(brought);
  }

  boolean expects() {
    return expects;
  }

  /** Whether a response has begun. */
  boolean isAnswered() {
    return responds;
  }

  /** How many requests with a body the client has made of this one, from the first on. */
  int begun() {
    return begun.get();
  }

  /**
   * Whether the server did not say that it wants the body, of which nothing was sent. The JDK
   * before 23 waits on, and later mixes up the answers at times.
   */
  boolean wasExpectationIgnored() {
    return ignored;
  }

  // ---- the client's threads -------------------------------------------------------------------

  @SuppressWarnings("unchecked") // the JDK's subscriber for streams is one of InputStream
  private BodySubscriber<T> receive(BodySubscriber<T> user, ResponseInfo info) {
    heard();
    event.head(
        info.statusCode(), info.version() == HttpClient.Version.HTTP_1_1 ? "HTTP/1.1" : "HTTP/2");
    origin.warmUp(lane);
    origin.answered();
    boolean multiplexed = info.version() != HttpClient.Version.HTTP_1_1;
    if (!multiplexed && readTimeout == null && JdkInternals.gathers(user)) {
      return user; // a subscriber of ours would cost the call a hand-over
    }
    long length = info.headers().firstValueAsLong("Content-Length").orElse(-1);
    boolean none = request.method().equals("HEAD") || info.statusCode() == 304;
    BodySubscriber<T> its =
        user.getClass() == STREAM
            ? (BodySubscriber<T>) new JdkResponseStream(deadline, length, !multiplexed, event)
            : user;
    JdkResponseBody<T> received =
        new JdkResponseBody<>(its, multiplexed && !none ? length : -1, this);
    body = received;
    IOException why = end;
    if (why != null) { // it came before there was a body to end
      received.end(why);
    }
    return received;
  }

  /**
   * There is a connection, and a request with a body is about to be sent: the first, or one that
   * the client makes of it by itself, for a redirect, a challenge, or as that was not processed.
   */
  void begins() {
    begun.incrementAndGet();
    origin.warmUp(lane);
    if (expects && upload == null) {
      var unused = after(EXPECT_NANOS, this::expectNoMore);
    }
  }

  /** The head of a request that has a body is sent. */
  void sends(boolean multiplexed) {
    if (multiplexed && begun.get() == 1) { // else it may be to another origin
      origin.speaks(HttpClient.Version.HTTP_2);
    }
  }

  /**
   * The request's body is about to be sent; it must not, if it is cancelled here.
   *
   * @param multiplexed whether over HTTP/2
   */
  void uploads(JdkUpload its, boolean multiplexed) {
    calling.lock();
    try {
      upload = its;
    } finally {
      calling.unlock();
    }
    if (multiplexed) {
      nudgeLater(its);
    }
    if (over.get() || ignored) {
      its.cancel();
    }
  }

  private void nudgeLater(JdkUpload its) {
    nudge =
        after(
            NUDGE_NANOS,
            () -> {
              if (!its.isOver() && !over.get()) {
                nudgeLater(its);
                its.nudge();
              }
            });
    if (over.get()) {
      nudge.cancel(false);
    }
  }

  void heard() {
    if (readTimeout != null) {
      heardAt = System.nanoTime();
    }
  }

  // ---- any thread -----------------------------------------------------------------------------

  /** Somebody else ends the body, if one comes. */
  void cancel() {
    event.cancels();
    end(JdkFailures.closed());
  }

  /** Ends the body, if one comes; a caller that is in the client's send is not woken. */
  private void end(IOException why) {
    end = why;
    JdkResponseBody<T> its = body;
    if (its != null) {
      its.end(why);
    }
  }

  /** Says what it waits for; the JDK does not tell the connection from the head. */
  void tell(CallReport report) {
    JdkResponseBody<T> its = body;
    Thread reader = its == null ? null : its.reader();
    Step waitsFor = !responds ? Step.HEAD : its == null || its.isAwaited() ? Step.BODY : null;
    Thread waits = reader == null ? caller : reader;
    URI uri = request.uri();
    String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
    report.add(waitsFor, request.method() + " " + uri.getHost() + port, waits);
  }

  /** Whether it waits for nothing but a reader who does not come. */
  boolean isForgotten(long nanos) {
    JdkResponseBody<T> its = body;
    return its != null && its.isForgotten(nanos);
  }

  /**
   * Gives the place back, once.
   *
   * @param whole whether the response came to its end: what the request still has may go on
   */
  void release(boolean whole) {
    if (!over.compareAndSet(false, true)) {
      return;
    }
    if (brought != null) { // with a body of the user's, which nobody else sees to its end
      endBody(whole);
    }
    Future<?> its = alarm;
    if (its != null) {
      its.cancel(false);
    }
    Future<?> next = nudge;
    if (next != null) {
      next.cancel(false);
    }
    JdkUpload sending = upload;
    if (sending != null && !whole) {
      sending.cancel();
    } else if (sending != null && !sending.isOver()) {
      cancelOnceStalled(sending, sending.movedAt());
    }
    client.ended(this);
    if (refused) {
      origin.leaveRefused(lane);
    } else {
      origin.leave(lane);
    }
  }

  private void endBody(boolean whole) {
    JdkResponseBody<T> its = body;
    if (its != null && !its.isStream()) {
      Throwable why = its.failure();
      if (whole) {
        event.completed();
      } else if (why != null) {
        event.failed(why);
      } else {
        event.end(CallEvent.End.CLOSED);
      }
    }
  }

  /** The answer is whole, the request is not: it goes on while the server takes of it. */
  private static void cancelOnceStalled(JdkUpload sending, long movedAt) {
    var unused =
        after(
            STALL_NANOS,
            () -> {
              if (!sending.isOver() && sending.movedAt() != movedAt) {
                cancelOnceStalled(sending, sending.movedAt());
              } else {
                sending.cancel(); // if it is not over
              }
            });
  }

  // ---- alarm ----------------------------------------------------------------------------------

  private void setAlarm() {
    long silence = silenceNanos();
    if (silence == Long.MAX_VALUE && readTimeout != null) { // the head comes after the upload: look
      silence = Deadline.after(readTimeout).remainingNanos();
    }
    long nanos = Math.min(deadline.remainingNanos(), silence);
    if (nanos < Long.MAX_VALUE) {
      alarm = after(nanos + GRACE_NANOS, this::ring);
      if (over.get()) {
        alarm.cancel(false);
      }
    }
  }

  /** For how long the server may still say nothing. */
  private long silenceNanos() {
    return readTimeout == null || (body == null && request.bodyPublisher().isPresent())
        ? Long.MAX_VALUE
        : Math.max(0, heardAt + Deadline.after(readTimeout).remainingNanos() - System.nanoTime());
  }

  private void ring() {
    boolean late = deadline.isExpired();
    JdkResponseBody<T> its = body;
    if (its != null && !its.isAwaited()) {
      heard(); // the silence is the reader's
    }
    if (over.get()) {
      return;
    }
    if (!late && silenceNanos() > 0) {
      setAlarm();
      return;
    }
    end(late ? JdkFailures.over(null) : new HttpTimeoutException("read timed out"));
    interruptCaller();
  }

  /** The server has had its time to say that it wants the body. */
  private void expectNoMore() {
    calling.lock();
    try {
      ignored = upload == null && !responds;
      if (ignored) {
        interruptCaller();
      }
    } finally {
      calling.unlock();
    }
  }

  /**
   * Wakes the caller, if he is in the client's send. If he is interrupted already, that wakes him,
   * and must not be taken for ours.
   */
  private void interruptCaller() {
    calling.lock();
    try {
      Thread its = caller;
      if (its != null && !its.isInterrupted()) {
        rung = true;
        its.interrupt();
      }
    } finally {
      calling.unlock();
    }
  }
}
