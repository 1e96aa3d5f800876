package io.heddle.okhttp;

import io.heddle.core.CallEvent;
import io.heddle.core.CallEvent.Step;
import io.heddle.core.CallReport;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import io.heddle.core.ResponseBodyPipe;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.EventListener;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * A call that is under way: what it holds, and what it waits for.
 *
 * <pre>{@code
 * made ──callStart──▶ live ──begin──▶ executing ──callEnd, callFailed──▶ over: its places are free
 *                       │                 │
 *                       └─ it is enqueued └─ canceled: wakes the caller, wherever it waits
 * }</pre>
 *
 * <p>It hears all that happens to the call and tells the user's own listener, on the caller's
 * thread: what a worker reports waits there for the caller to come by, in its order.
 */
final class LiveCall extends ForwardingListener {

  private static final ThreadLocal<@Nullable LiveCall> CURRENT = new ThreadLocal<>();

  /** By which OkHttp's timer may have begun before we hear of the call. */
  private static final long MOMENT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final CallEngine engine;
  private final Call call;

  // Written by whoever starts the call, and by the caller; who is one unless it is enqueued.
  private volatile Deadline due = Deadline.none();
  private volatile @Nullable Thread starter;
  private volatile boolean expired;

  // Caller only, and whoever ends the call, which comes after.
  private final Places places;
  private boolean deaf;
  private @Nullable LiveCall outer;
  private @Nullable Request asked;
  private boolean answered; // what was asked
  private @Nullable Response led; // to what was asked
  private @Nullable Connection connection;
  private int successes;

  // Written by the caller, read by threads that cancel.
  private volatile boolean executing;
  private volatile boolean within;
  private volatile boolean left; // by its caller, while it goes on elsewhere
  private volatile boolean aborting;
  private volatile boolean clientEnds;
  private volatile boolean withheld; // from the user's listener, until the client's end tells it
  private volatile @Nullable Exchange<?> waiting;
  private volatile @Nullable OkHttpExchange exchange;
  private volatile @Nullable Step step;
  private volatile CallEvent event = CallEvent.OFF;
  private volatile @Nullable ResponseBodyPipe ending; // whose end ends the call
  private volatile @Nullable InlineSource reading; // likewise, of a body without a pipe
  private volatile boolean over; // for OkHttp

  // The thread that goes on with it, which may be an interceptor's own.
  private volatile @Nullable Thread proceeding;

  // Of the thread on which OkHttp tells of an exchange.
  private @Nullable IOException ofClose;

  /** With what a worker found the last body broken, perhaps before OkHttp had the response. */
  private volatile @Nullable IOException broken;

  LiveCall(CallEngine engine, Call call, EventListener user) {
    super(user);
    this.engine = engine;
    this.call = call;
    this.places = new Places(engine, this);
  }

  /** That of the calls which this thread executes that was made last; null if there is none. */
  static @Nullable LiveCall current() {
    return CURRENT.get();
  }

  /** Null if this thread executes another call of OkHttp's, or none of ours. */
  static @Nullable LiveCall current(Call call) {
    LiveCall current = CURRENT.get();
    return current != null && current.isOf(call) ? current : null;
  }

  /** Null rather than nothing: the next call of this thread finds its place in the map. */
  static void current(@Nullable LiveCall call) {
    CURRENT.set(call);
  }

  boolean isOf(Call its) {
    return call.equals(its);
  }

  // ---- caller ---------------------------------------------------------------------------------

  /** For a call that has another listener, since its client was rebuilt with one. */
  void hear() {
    try {
      call.addEventListener(this);
      engine.live.add(call, this);
    } catch (LinkageError e) { // OkHttp 4 has no listeners of one call
      deaf = true;
    }
  }

  /**
   * The caller executes the call: waits for its turn.
   *
   * @param around the call within which it is made, perhaps another client's; null if there is none
   */
  void begin(@Nullable LiveCall around) throws IOException {
    outer = around;
    within = true;
    Thread caller = Thread.currentThread();
    executing = !isEnqueued(caller); // by a dispatcher with virtual threads
    if (!caller.equals(starter)) { // enqueued: its timeout begins when it is its turn
      due = BodyPump.deadline(call.timeout(), 0);
      starter = executing ? caller : starter;
    }
    if (!deaf) { // or nobody would tell of its end
      HttpUrl url = call.request().url();
      event = CallEvent.begin("okhttp");
      event.request(call.request().method(), url.host(), url.port());
    }
    engine.checkOpen(); // after `executing` was set
    if (Thread.currentThread().isInterrupted()) {
      throw OkHttpFailures.interrupted(null);
    }
    if (due.isExpired()) { // OkHttp's timer may be late
      throw OkHttpFailures.timedOut(null);
    }
    LiveCall ours = outer;
    while (ours != null && !ours.engine.equals(engine)) {
      ours = ours.outer;
    }
    places.await(ours == null ? null : ours.places);
  }

  /** The dispatcher has limits of its own; and a place must be given back by who hears the end. */
  boolean isLimited() {
    return executing && !deaf;
  }

  /** Whether a dispatcher runs the call on this thread, which may execute another meanwhile. */
  boolean isEnqueued(Thread thread) {
    return OkHttpInternals.isDispatcher(thread) && !thread.equals(starter);
  }

  /** Whether interceptors may still go on with it: its response is not with the caller yet. */
  boolean isWithin() {
    return within;
  }

  @Override
  void mark(@Nullable Step now) {
    step = now;
    if (now == null) {
      event.at();
    } else {
      event.at(now);
    }
  }

  /** A cancel of the call ends this. */
  void waitsFor(Exchange<?> next) {
    waiting = next;
    if (call.isCanceled()) { // looked at after `waiting` was set
      next.cancel();
    }
  }

  /** Waits for something that a cancel of the call ends. */
  <T> T await(Exchange<T> next, Deadline deadline)
      throws IOException, TimeoutException, ExecutionException {
    waitsFor(next);
    try {
      return next.await(deadline);
    } catch (InterruptedException | CancellationException e) {
      throw OkHttpFailures.inWait(e);
    } finally {
      waiting = null;
    }
  }

  /** What JFR is told of it. */
  CallEvent event() {
    return event;
  }

  /** The caller is about to get this. */
  void failed(Throwable failure) {
    if (Thread.currentThread().isInterrupted()) {
      event.end(CallEvent.End.INTERRUPTED); // which closed the caller's socket
    } else if (isOverdue()) {
      event.end(CallEvent.End.TIMEOUT); // OkHttp's timer has cancelled it, and it fails with that
    } else {
      if (call.isCanceled() && !aborting) {
        event.cancels(); // of which listeners are told after the call has failed
      }
      event.failed(failure);
    }
  }

  /** The body that a worker reads; null if none does. */
  private @Nullable BodyPump body() {
    OkHttpExchange last = exchange;
    return last == null ? null : last.pump();
  }

  /** What goes on with the call. */
  interface Proceeding {
    Response proceed() throws IOException;
  }

  /** Goes on with the call on this thread, which may be another than its caller's. */
  Response on(Proceeding next) throws IOException {
    LiveCall before = current();
    current(this);
    Thread thread = Thread.currentThread();
    proceeding = thread;
    try {
      return next.proceed();
    } finally {
      if (thread.equals(proceeding)) { // else an interceptor has moved it on meanwhile
        proceeding = null;
      }
      current(before);
    }
  }

  /** The call has failed. If it goes on, an interceptor has left the thread on which it does. */
  void leave() {
    if (proceeding != null) {
      left = true; // before it fails there
      abort();
    }
  }

  /** Whether nobody can get what comes of it. */
  boolean isLeft() {
    return left;
  }

  /** The call has failed: nobody reads what an interceptor, or a listener, has left open. */
  void giveUpBody() {
    BodyPump body = body();
    if (body != null) {
      body.close();
    }
    within = false;
  }

  /** The caller gets the response: from now on its body decides how the call ends. */
  void returned() {
    BodyPump body = body();
    if (body != null && !body.isClosed()) { // as that of a redirect is
      ending = body.pipe();
      body.pipe().ends(event);
    }
    within = false; // before the look at `over`: who writes that sees it
    InlineSource inline = reading;
    if (over && ending == null && (inline == null || inline.isWhole())) {
      event.completed();
    }
  }

  /** The caller itself reads the body, of which OkHttp does not know whether it is whole. */
  void reads(@Nullable InlineSource inline) {
    reading = inline;
  }

  /** All that is to come of such a body is there. */
  void hasRead() {
    if (over && !within) {
      event.completed();
    }
  }

  /** A worker goes on with the call. */
  void handOver(OkHttpExchange to) {
    exchange = to;
    if (call.isCanceled()) { // looked at after `exchange` was set
      to.cancel();
    }
  }

  /** Whether its last request has gone out over this connection, which it may have kept. */
  boolean isOn(Connection over) {
    return over.equals(connection);
  }

  /** A request goes out over this connection. */
  void connected(Connection over, int hasSucceeded) {
    broken = null;
    connection = over;
    successes = hasSucceeded;
    places.connected(over);
  }

  /**
   * An exchange failed: if with a timeout, and no call has ended well on its shared connection
   * since this one went out, the path may be dead, and is left to the calls that are on it.
   */
  void leaveIfDead(Throwable failure) {
    Connection over = connection;
    if (over != null
        && OkHttpInternals.isMultiplexed(over)
        && (failure instanceof SocketTimeoutException || isOverdue())
        && successes == OkHttpInternals.successes(over)) {
      OkHttpInternals.leave(over);
    }
  }

  /** The head of a response is there. */
  void answered() {
    answered = true;
    places.answered();
  }

  boolean isAnswered() {
    return answered;
  }

  /** OkHttp begins with a request, and goes on to where its responses lead. */
  void asks(Request request) {
    asked = request;
    answered = false;
    reading = null;
    led = null;
  }

  /** What OkHttp has asked last, or was about to. */
  Request asked() {
    return Objects.requireNonNull(asked);
  }

  /** The response that has led there; null if that is what it began with. */
  @Nullable Response led() {
    return led;
  }

  Places places() {
    return places;
  }

  /** Whether anybody is to be told of what a worker does. */
  boolean hasListener() {
    return !user.equals(EventListener.NONE);
  }

  /** Whether the call's own timeout is over; if its timer is on. */
  boolean isOverdue() {
    return expired || due.remainingNanos() <= MOMENT_NANOS;
  }

  // ---- any thread -----------------------------------------------------------------------------

  /** Whether it is made by {@code execute}, and not for a dispatcher. */
  boolean isExecuting() {
    return executing;
  }

  boolean waitsForPlace() {
    return step == Step.PLACE;
  }

  /** Says what it waits for; at its body, if anything. */
  void tell(CallReport report) {
    HttpUrl url = call.request().url();
    report.add(step, call.request().method() + " " + url.host() + ":" + url.port(), starter);
  }

  boolean isCanceled() {
    return call.isCanceled();
  }

  /**
   * Cancels the call for a caller that gave it up. Its listener is not told, as OkHttp tells nobody
   * of an interrupt. An exchange that is reset while its call is not cancelled would cost OkHttp's
   * trust in the connection.
   */
  void abort() {
    aborting = true;
    if (!call.isCanceled()) {
      engine.cancel(call::cancel);
    }
  }

  /** The client is closed. */
  void endWithClient() {
    if (executing) {
      event.cancels();
      clientEnds = true;
      try {
        engine.cancel(call::cancel);
        if (withheld) {
          user.canceled(call); // on the thread that cancels, and not on a worker
        }
      } finally {
        wake();
      }
    }
  }

  /** Cancels an exchange of the call, which may go on. */
  void cancelExchange(Interceptor.Chain chain) {
    engine.cancel(() -> OkHttpInternals.cancelExchange(chain));
  }

  private void wake() {
    Exchange<?> turn = waiting;
    if (turn != null) {
      turn.cancel(); // wakes the caller in await
    }
    OkHttpExchange running = exchange;
    if (running != null) {
      running.cancel(); // wakes the caller, and the worker where we let it wait
    }
  }

  private void end() {
    engine.live.remove(call);
    places.leave();
    led = null; // which holds a body
  }

  @Override
  void tell(Runnable event) {
    if (!hasListener()) {
      return;
    }
    OkHttpExchange running = exchange;
    if (running == null) {
      event.run();
    } else if (running.isOnWorker()) {
      running.onCaller(event);
    } else {
      running.runTasks();
      event.run();
    }
  }

  @Override
  public void callStart(Call of) {
    starter = Thread.currentThread();
    due = BodyPump.deadline(call.timeout(), 0);
    engine.live.add(call, this);
    user.callStart(of);
  }

  @Override
  public void canceled(Call of) {
    if (OkHttpInternals.isWatchdog(Thread.currentThread())) {
      expired = true;
    }
    boolean ours = aborting; // before its caller wakes, who aborts what is left
    if (!ours && !isOverdue()) {
      event.cancels();
    }
    wake();
    if (clientEnds) {
      withheld = true;
    } else if (!ours) {
      user.canceled(of);
    }
  }

  /** OkHttp takes a call for ended whose body has failed before it had the response. */
  @Override
  public void callEnd(Call of) {
    IOException failure = broken;
    if (failure != null) {
      callFailed(of, failure);
      return;
    }
    end();
    over = true;
    if (!within && ending == null && reading == null) { // else it is the body that knows
      event.completed();
    }
    tell(() -> user.callEnd(of));
  }

  @Override
  public void callFailed(Call of, IOException failure) {
    if (failure.equals(ofClose)) {
      callEnd(of);
      return;
    }
    end();
    failed(failure);
    tell(() -> user.callFailed(of, failure));
  }

  @Override
  public void followUpDecision(Call of, Response response, @Nullable Request next) {
    if (next != null) {
      asks(next);
      led = response;
    }
    super.followUpDecision(of, response, next);
  }

  @Override
  public void requestFailed(Call of, IOException failure) {
    leaveIfDead(failure);
    super.requestFailed(of, failure);
  }

  @Override
  public void responseHeadersEnd(Call of, Response response) {
    step = Step.BODY;
    if (event != CallEvent.OFF) {
      event.head(response.code(), protocolOf(response));
    }
    super.responseHeadersEnd(of, response);
  }

  private static String protocolOf(Response response) {
    String own = response.protocol().toString(); // h2, h2_prior_knowledge, http/1.1
    return own.startsWith("h2") ? "HTTP/2" : own.toUpperCase(Locale.ROOT);
  }

  @Override
  public void responseFailed(Call of, IOException failure) {
    leaveIfDead(failure);
    OkHttpExchange running = exchange;
    long closedAfter = running == null ? -1 : running.closedAfter();
    if (closedAfter >= 0) { // a worker waited for more, which is no failure in OkHttp
      ofClose = failure;
      if (closedAfter == 0) { // then nothing has come of it
        responseBodyStart(of);
      }
      responseBodyEnd(of, closedAfter);
      return;
    }
    broken = failure;
    super.responseFailed(of, failure);
  }
}
