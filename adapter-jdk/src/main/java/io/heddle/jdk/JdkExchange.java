package io.heddle.jdk;

import io.heddle.core.CallEvent;
import io.heddle.core.CallEvent.Step;
import io.heddle.core.CallReport;
import io.heddle.core.Deadline;
import io.heddle.core.Lanes.Lane;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.HttpResponse.ResponseInfo;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
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
 * <p>The client's own timer, set to what is left of the deadline, ends SENDING, and from JDK 26 on
 * BODY. It begins anew with each redirect and each repetition; only then does the alarm ring there,
 * a moment later, and at a read timeout that is not for the client's timer. That interrupt never
 * outlives {@code send}: {@link #leave} and {@link #ring} share a lock.
 *
 * @param <T> what the user makes of the body
 */
final class JdkExchange<T> {

  /** By how much the client's own timer goes first. */
  private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** How long the server may take to say that it wants the body. */
  private static final long EXPECT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The client takes a body faster than it sends it, and does not tell: we allow for this rate. */
  private static final long BYTES_A_SECOND = 64 * 1024;

  private static final Class<?> STREAM = BodySubscribers.ofInputStream().getClass();

  private final JdkCall<T> call;
  private final Lane lane;
  private final boolean expects;
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicInteger begun = new AtomicInteger();
  private final ReentrantLock calling = new ReentrantLock();

  // Caller only.
  private boolean refused;

  // Written under calling.
  private volatile @Nullable Thread caller;
  private volatile @Nullable JdkUpload upload;
  private volatile boolean asking;
  private volatile boolean ignored;
  private boolean rung;

  // Shared.
  private volatile boolean responds;
  private volatile @Nullable JdkResponseBody<T> body;
  private volatile @Nullable JdkResponseStream stream;
  private volatile boolean brought;
  private volatile @Nullable IOException end;
  private volatile @Nullable Future<?> alarm;
  private volatile Deadline silence;

  /**
   * An attempt.
   *
   * @param lane of the origin, in which this has a place; if it is not open, this comes to open the
   *     connection that others wait for
   * @param expects whether to ask the server before the body is sent
   */
  JdkExchange(JdkCall<T> call, Lane lane, boolean expects) {
    this.call = call;
    this.lane = lane;
    this.expects = expects;
    this.silence = Deadline.after(call.client.readTimeout);
  }

  // ---- caller ---------------------------------------------------------------------------------

  /** Sends the request and waits for what the client's {@code send} waits for. */
  HttpResponse<T> send(@Nullable PushPromiseHandler<T> push)
      throws IOException, InterruptedException {
    caller = Thread.currentThread(); // before there is anybody to interrupt it
    setAlarm();
    try {
      HttpRequest its = request();
      HttpResponse<T> response =
          push == null ? call.client.wrapped.send(its, this::receive) : sendPushed(its, push);
      call.origin.speaks(first(response).version());
      brought = true; // before the look at `over`: he who gives the place back sees it
      if (body == null) {
        release(true);
      }
      if (over.get() && stream == null) {
        JdkResponseBody<T> whole = body;
        endEvent(whole == null || whole.failure() == null);
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
        call.origin.cool(lane);
      }
      throw failure(e);
    } finally {
      if (leave()) {
        Thread.interrupted(); // the alarm's
      }
      if (!brought) {
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
  private HttpResponse<T> sendPushed(HttpRequest its, PushPromiseHandler<T> push)
      throws IOException, InterruptedException {
    Future<HttpResponse<T>> future = call.client.wrapped.sendAsync(its, this::receive, push);
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw JdkFailures.asOfSend(Objects.requireNonNull(e.getCause()));
    } finally {
      future.cancel(true); // unless it is done
    }
  }

  /** The user's request, with what is left of the deadline; and a hook, if it comes to connect. */
  private HttpRequest request() throws HttpTimeoutException {
    if (call.deadline.isExpired()) {
      throw JdkFailures.overBeforeSending("before the request was sent");
    }
    Deadline first = call.deadline.earlier(silence);
    boolean silenceIsOurs = hasBody() || JdkInternals.TIMES_BODIES; // else the client's timer's
    Deadline ofHead = silenceIsOurs ? call.deadline : first;
    boolean plain = lane.isOpen() && (first.isNone() || !call.origin.isMultiplexed());
    return plain && first.isNone() && !hasBody() && expects == call.request.expectContinue()
        ? call.request
        : RequestOptions.copy(call.request, new SentRequest(call.request, ofHead, this, plain));
  }

  private boolean hasBody() {
    return call.request.bodyPublisher().isPresent();
  }

  /** What the body fails with: the client's own timer may ring at the moment of the head. */
  Throwable failureOfBody(Throwable found) {
    return found instanceof IOException its ? failure(its) : found;
  }

  private IOException failure(@Nullable IOException found) {
    JdkResponseBody<T> its = body;
    Throwable wrong = its == null ? null : its.failure();
    IOException why = end;
    if (why != null) {
      return JdkFailures.again(why);
    } else if (wrong instanceof ProtocolException) { // and not what the client was told to cancel
      return JdkFailures.again(wrong);
    }
    return found == null || (isLate() && JdkInternals.isOfTimer(found))
        ? JdkFailures.over(found)
        : found;
  }

  /** Whether the deadline is over; the client's timer may be early. */
  private boolean isLate() {
    return call.deadline.remainingNanos() < GRACE_NANOS;
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

  boolean expects() {
    return expects;
  }

  /** Whether a response has begun. */
  boolean isAnswered() {
    return responds;
  }

  /** Whether the response has come to the caller, or is about to. */
  boolean isBrought() {
    return brought;
  }

  /** How many requests with a body the client has made of this one, from the first on. */
  int begun() {
    return begun.get();
  }

  /**
   * Whether the caller was woken since the server did not say that it wants the body, of which
   * nothing was sent; an answer may have come at that moment, and is dropped. The JDK before 23
   * waits on, and later mixes up the answers at times.
   */
  boolean wasExpectationIgnored() {
    return ignored;
  }

  // ---- the client's threads -------------------------------------------------------------------

  /**
   * There is a connection, and a request with a body is about to be sent: the first, or one that
   * the client makes of it by itself, for a redirect, a challenge, or as that was not processed.
   */
  void begins() {
    heard(); // the server has answered the one before, if there was one
    int its;
    calling.lock(); // or the time of the one before could end the asking of this
    try {
      its = begun.incrementAndGet();
      asking = expects;
    } finally {
      calling.unlock();
    }
    call.origin.warmUp(lane);
    if (expects) {
      var unused = JdkTimer.after(EXPECT_NANOS, () -> expectNoMore(its));
    }
  }

  /**
   * The head of a request with a body is sent; the body goes through this to the client.
   *
   * @param ofHead when the client's own timer rings
   * @param waits whether who asks the body may have to wait
   */
  Flow.Subscriber<? super ByteBuffer> upload(
      Flow.Subscriber<? super ByteBuffer> client, Deadline ofHead, boolean waits) {
    boolean http2 = JdkInternals.isOfHttp2(client);
    boolean multiplexed = http2 || JdkInternals.isOfHttp3(client);
    if (multiplexed && begun.get() == 1) { // else it may be to another origin
      call.origin.speaks(Version.HTTP_2);
    }
    if (multiplexed || expects) {
      mustBeWanted(ofHead);
    }
    if (!hasBody()) {
      return client;
    }
    JdkUpload its = new JdkUpload(client, http2, multiplexed && waits, this::sent);
    JdkUpload before = upload;
    if (before != null) {
      before.answered(true); // the client has done with it, and may have forgotten it
    }
    calling.lock();
    try {
      upload = its;
      asking = false;
    } finally {
      calling.unlock();
    }
    its.watch(over::get);
    if (over.get() || ignored) {
      its.cancel();
    }
    return its;
  }

  /**
   * The head has its stream. The client may have been told to cancel the call just before, and then
   * lost that ({@link JdkInternals#TIMER_EARLY_NANOS}). And from JDK 23 on the client waits for the
   * server to want a body no longer than its timeout, in whole milliseconds: so it goes on a moment
   * before that ends the call. What is thrown here resets the stream, or ends the connection.
   */
  private void mustBeWanted(Deadline ofHead) {
    if (ofHead.remainingNanos() < JdkInternals.TIMER_EARLY_NANOS) {
      end(isLate() ? JdkFailures.over(null) : new HttpTimeoutException("read timed out"));
    } else if (end == null && !over.get()) {
      return;
    }
    throw new CancellationException("the call is over");
  }

  /** The head of the response. */
  @SuppressWarnings("unchecked") // the JDK's subscriber for streams is one of InputStream
  private BodySubscriber<T> receive(ResponseInfo info) {
    responds = true; // the handler may fail as a call does that may go again
    BodySubscriber<T> user = call.handler.apply(info);
    heard();
    boolean multiplexed = info.version() != Version.HTTP_1_1;
    call.event.head(info.statusCode(), JdkInternals.nameOf(info.version()));
    call.origin.answered(lane);
    boolean gathers = JdkInternals.gathers(user);
    if (!multiplexed && silence.isNone() && gathers) {
      return user; // a subscriber of ours may cost the call a hand-over
    }
    List<String> lengths = info.headers().allValues("Content-Length");
    long length = lengths.isEmpty() ? -1 : Long.parseLong(lengths.get(0));
    boolean none = call.request.method().equals("HEAD") || info.statusCode() == 304;
    if (user.getClass() == STREAM) {
      JdkResponseStream ours =
          new JdkResponseStream(call.deadline, length, !multiplexed, call.event);
      stream = ours;
      user = (BodySubscriber<T>) ours;
    }
    JdkResponseBody<T> its = new JdkResponseBody<>(user, multiplexed && !none ? length : -1, this);
    body = its;
    IOException why = end;
    if (why != null) { // it came before there was a body to end
      its.end(why);
    }
    return gathers || stream != null ? JdkInternals.askedInPlace(its) : its;
  }

  void heard() {
    sent(0);
  }

  /** The client has the whole of a body, and may still have to send it. */
  private void sent(long bytes) {
    if (!silence.isNone()) {
      silence = Deadline.after(call.client.readTimeout.plusMillis(1000 * bytes / BYTES_A_SECOND));
    }
  }

  // ---- any thread -----------------------------------------------------------------------------

  /** Somebody else ends the body, if one comes. */
  void cancel() {
    call.event.cancels();
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
    JdkResponseStream read = stream;
    Thread reader = read == null ? null : read.waiter();
    Step waitsFor = !responds ? Step.HEAD : its == null || its.isAwaited() ? Step.BODY : null;
    report.add(
        waitsFor,
        call.request.method() + " " + Origin.authority(call.request.uri()),
        reader == null ? caller : reader);
  }

  /** Whether it waits for nothing but a reader who does not come; false if one cannot know. */
  boolean isForgotten() {
    JdkResponseStream its = stream;
    return its != null && its.isForgotten();
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
    if (brought && stream == null) { // with a body of the user's, which nobody else sees to its end
      endEvent(whole);
    }
    Future<?> its = alarm;
    if (its != null) {
      its.cancel(false);
    }
    JdkUpload sending = upload;
    if (sending != null) {
      sending.answered(whole);
    }
    call.client.live.remove(this);
    call.origin.leave(lane, refused);
  }

  private void endEvent(boolean whole) {
    JdkResponseBody<T> its = body;
    Throwable why = its == null ? null : its.failure();
    if (whole) {
      call.event.completed();
    } else if (why != null) {
      call.event.failed(why);
    } else {
      call.event.end(CallEvent.End.CLOSED);
    }
  }

  // ---- alarm ----------------------------------------------------------------------------------

  private void setAlarm() {
    Deadline next = call.deadline.earlier(silence);
    if (!next.isNone()) {
      alarm = JdkTimer.after(next.remainingNanos() + GRACE_NANOS, this::ring);
      if (over.get()) {
        alarm.cancel(false);
      }
    }
  }

  private void ring() {
    JdkResponseBody<T> its = body;
    if (its == null ? responds || isUploading() : !its.isAwaited()) {
      heard(); // the silence is the request's, or that of the user's handler or reader
    }
    if (over.get()) {
      return;
    }
    if (!call.deadline.earlier(silence).isExpired()) {
      setAlarm();
      return;
    }
    end(
        call.deadline.isExpired()
            ? JdkFailures.over(null)
            : new HttpTimeoutException("read timed out"));
    interruptCaller();
  }

  /**
   * Whether a body goes out, or the server is asked whether it wants one, which has its own time.
   */
  private boolean isUploading() {
    JdkUpload its = upload;
    return asking || (its != null && !its.isOver());
  }

  /**
   * The server has had its time to say that it wants the body. A client that follows redirects may
   * be at the target of one by now, of which it does not tell if that gets no body: the server has
   * answered then, and must not get the request again.
   *
   * @param request that was to be wanted, counted as they begin
   */
  private void expectNoMore(int request) {
    calling.lock();
    try {
      asking = asking && begun.get() != request;
      boolean mayBeElsewhere = call.client.followRedirects() != HttpClient.Redirect.NEVER;
      if (upload == null && !responds && begun.get() == request && !mayBeElsewhere) {
        interruptCaller();
        ignored = rung;
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
