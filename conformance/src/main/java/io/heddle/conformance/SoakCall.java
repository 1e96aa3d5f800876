package io.heddle.conformance;

import io.heddle.conformance.SoakPlan.Ending;
import io.heddle.conformance.SoakPlan.Manner;
import io.heddle.conformance.SoakPlan.Source;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One call of a {@link Soak}: makes it as its plan has it, and judges how it ends.
 *
 * <p>{@link #run} is the caller's, and leaves what is wrong to {@link Soak.Round#wrong}; {@link
 * #judgeServer} comes once the client is closed, and the server has seen all there is to see.
 */
final class SoakCall {

  /** Between two looks of who waits for a moment, and of a source that takes its time, in ns. */
  private static final long PAUSE_NANOS = 1_000_000;

  private static final Set<Failure> CLOSED = EnumSet.of(Failure.CLOSED);

  private static final String BEYOND_GOAWAY =
      "excused: a call was sent beyond a GOAWAY, and waited";

  /** By how much the timeouts of an engine that counts in ticks may come early. */
  private static final Duration TICK = Duration.ofMillis(50);

  private static final Set<Failure> TIMED_OUT = EnumSet.of(Failure.READ_TIMEOUT);

  /** How it is told that the caller, or somebody else, has ended a call. */
  private static final Set<Failure> ENDED =
      EnumSet.of(Failure.INTERRUPTED, Failure.CANCELLED, Failure.DEADLINE);

  /** What the source of a request's body fails with. */
  private static final class Torn extends IOException {
    private static final long serialVersionUID = 1;

    Torn() {
      super("the source is torn");
    }
  }

  private enum Outcome {
    WHOLE,
    CLOSED_EARLY,
    FAILED
  }

  private final Soak.Round round;
  private final SoakPlan plan;
  private final URI uri;
  private final @Nullable URI target;

  // Guarded by lock: who interrupts the caller does not interrupt its next call.
  private final ReentrantLock lock = new ReentrantLock();
  private boolean ended;
  private boolean interrupted;

  // The caller's; read by others once it has ended.
  private final List<SoakCall> nested = new ArrayList<>();
  private @Nullable Torn torn;
  private @Nullable WeakReference<Object> body;
  private @Nullable WeakReference<Object> read;
  private Outcome outcome = Outcome.FAILED;
  private @Nullable Throwable failure;
  private boolean madeTooLate;

  /** Whether somebody had begun to close the client by its end. */
  private boolean closedUnderIt;

  /** Whether the response's head came. */
  private boolean answered;

  /** What is to happen as a body is at its middle. */
  private final Queue<Runnable> strikes = new ConcurrentLinkedQueue<>();

  /** Whether it is known why it failed, though the server has taken nothing of it. */
  private boolean explained;

  /** Whether it failed with what the source of its own body threw. */
  private boolean ofSource;

  /** Whether the server had just ended a connection, perhaps the first that it was sent on. */
  private boolean maybeCut;

  /** Whether the server had just told a connection to take less, or no more. */
  private boolean narrowed;

  // Written by the caller, read by who waits for it.
  private volatile @Nullable Thread caller;
  private volatile long startedAt;
  private volatile long struckAt;
  private volatile boolean over;

  /** Whether its source was asked for the body of the request, which can be sent once. */
  private volatile boolean begun;

  SoakCall(Soak.Round round, SoakPlan plan) {
    this.round = round;
    this.plan = plan;
    Script last = plan.target();
    this.target = last == null ? null : round.server().uri(last);
    this.uri = round.server().uri(plan.script(target));
  }

  // ---- the caller's side ----------------------------------------------------------------------

  void run() {
    startedAt = System.nanoTime();
    caller = Thread.currentThread();
    madeTooLate = round.isShut();
    try {
      outcome = exchange();
    } catch (Throwable e) {
      failure = e;
    }
    long endedAt = System.nanoTime();
    closedUnderIt = round.isClosed();
    over = true;
    boolean struck = end();
    boolean flag = Thread.interrupted();
    List<String> wrong = new ArrayList<>();
    judge(wrong);
    judgeFlag(struck, flag, wrong);
    judgeTime(endedAt, wrong);
    for (String each : wrong) {
      round.wrong(this, each, failure);
    }
    round.count(outcome == Outcome.FAILED ? "failed as it may" : outcome.name());
    if (failure != null && begun && plan.meeting == SoakPlan.Meeting.UNREAD) {
      round.count("ended in an upload that nobody read");
    }
    if (failure != null && answered && !plan.endings.isEmpty() && isOneOf(ENDED, failure)) {
      round.count("ended in the response's body");
    }
  }

  private Outcome exchange() throws Exception {
    PreparedCall prepared = round.client().prepare(request());
    startEndings(prepared);
    Reply reply = prepared.execute();
    answered = true;
    try {
      return read(reply);
    } catch (Throwable e) {
      closeBroken(reply);
      throw e;
    }
  }

  private Outcome read(Reply reply) throws IOException {
    if (reply.status() != plan.status()) {
      throw new AssertionError("status " + reply.status() + ", not " + plan.status());
    }
    String number = reply.header(SoakPlan.NUMBER);
    if (!Long.toString(plan.number).equals(number)) {
      throw new AssertionError("the response is that of call " + number);
    }
    if (plan.nesting) {
      nest();
    }
    InputStream in = reply.body();
    read = new WeakReference<>(in);
    byte[] buffer = new byte[plan.endings.isEmpty() ? Contents.PIECE : 1000];
    int done = 0;
    while (true) {
      if (done >= plan.middle) {
        if (plan.endings.contains(Ending.CLOSE)) {
          struck();
          reply.close();
          return Outcome.CLOSED_EARLY;
        }
        strike();
      }
      int n = in.read(buffer, 0, buffer.length);
      if (n < 0) {
        break;
      }
      Contents.check(buffer, n, plan.from() + done);
      done += n;
    }
    if (done != plan.length) {
      throw new AssertionError(done + " bytes are taken for a whole body of " + plan.length);
    }
    reply.close();
    return Outcome.WHOLE;
  }

  /** Some libraries tell once more when a broken response is closed, and some do not. */
  private static void closeBroken(Reply reply) {
    try {
      reply.close();
    } catch (IOException e) {
      // known already
    }
  }

  private void nest() {
    SoakCall inner = new SoakCall(round, plan.nested());
    nested.add(inner);
    inner.run();
  }

  // ---- the request ----------------------------------------------------------------------------

  private Call request() {
    Call.Builder call =
        switch (plan.method) {
          case "HEAD" -> Call.head(uri);
          case "GET" -> Call.get(uri);
          default -> Call.post(uri, body());
        };
    if (plan.endings.contains(Ending.DEADLINE)) {
      call.deadline(deadline());
    }
    return call.build();
  }

  private Duration deadline() {
    return Duration.ofNanos(plan.micros * 1000L);
  }

  private Body body() {
    Source source = Kit.present(plan.source, "a source");
    if (source == Source.BYTES) {
      byte[] bytes = Contents.range(plan.from(), plan.size);
      body = new WeakReference<>(bytes);
      return new Body.Bytes(bytes);
    }
    if (source == Source.WRITER) {
      BodyWriter writer = this::write;
      body = new WeakReference<>(writer);
      return new Body.Writer(writer);
    }
    InputStream stream = stream();
    body = new WeakReference<>(stream);
    return new Body.Stream(stream, source == Source.STREAM ? -1 : plan.size);
  }

  private void write(OutputStream out) throws IOException {
    begun = true;
    for (int done = 0; done < plan.size; ) {
      int n = Math.min(Math.min(plan.size - done, 8000), Contents.PIECE);
      behave(done, n);
      out.write(Contents.array(), Contents.offset(plan.from() + done), n);
      done += n;
    }
    if (plan.size == 0) {
      behave(0, 1);
    }
  }

  private InputStream stream() {
    return new FilterInputStream(Contents.stream(plan.from(), plan.size)) {
      private int done;

      @Override
      public int read(byte[] b, int off, int len) throws IOException {
        begun = true;
        int n = super.read(b, off, Math.min(len, 8000));
        if (n > 0 || plan.size == 0) {
          behave(done, Math.max(n, 1));
          done += n;
        }
        return n;
      }

      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
      }
    };
  }

  /** Before these bytes of the body are handed over. */
  private void behave(int from, int n) throws IOException {
    int middle = Math.min(plan.middle, Math.max(plan.size - 1, 0));
    boolean now = from <= middle && middle < from + n;
    if (now) {
      strike();
    }
    switch (plan.manner) {
      case SLOW, BLOCKED -> {
        do {
          LockSupport.parkNanos(2 * PAUSE_NANOS);
        } while (plan.manner == Manner.BLOCKED && !over && !Thread.currentThread().isInterrupted());
        if (Thread.currentThread().isInterrupted()) { // as code that waits does
          throw new InterruptedIOException("the source was interrupted");
        }
      }
      case TORN -> {
        if (now) {
          torn = new Torn();
          throw torn;
        }
      }
      case NESTING -> {
        if (now && nested.isEmpty()) {
          nest();
        }
      }
      case PLAIN -> {
        // Nothing happens to it.
      }
    }
  }

  // ---- what ends it ---------------------------------------------------------------------------

  private void startEndings(PreparedCall prepared) {
    if (plan.endings.contains(Ending.FLAGGED)) {
      interrupted = true;
      Thread.currentThread().interrupt();
    }
    if (plan.endings.contains(Ending.INTERRUPT)) {
      later(this::interrupt);
    }
    if (plan.endings.contains(Ending.CANCEL)) {
      later(
          () -> {
            struck();
            prepared.cancel();
          });
    }
    if (plan.endings.contains(Ending.DEADLINE)) {
      struckAt = startedAt + deadline().toNanos();
    }
  }

  private void later(Runnable strike) {
    if (!plan.inBody) {
      start(strike, plan.micros);
      return;
    }
    AtomicBoolean done = new AtomicBoolean();
    Runnable once =
        () -> {
          if (done.compareAndSet(false, true)) {
            strike.run();
          }
        };
    strikes.add(once);
    start(once, SoakPlan.AT_LAST);
  }

  /** A body is at its middle. */
  private void strike() {
    for (Runnable each = strikes.poll(); each != null; each = strikes.poll()) {
      start(each, plan.micros);
    }
  }

  private static void start(Runnable strike, int micros) {
    Thread.ofVirtual()
        .name("soak")
        .start(
            () -> {
              LockSupport.parkNanos(micros * 1000L);
              strike.run();
            });
  }

  private void interrupt() {
    lock.lock();
    try {
      if (!ended) {
        interrupted = true;
        struck();
        Kit.present(caller, "a caller").interrupt();
      }
    } finally {
      lock.unlock();
    }
  }

  private void struck() {
    if (struckAt == 0) {
      struckAt = System.nanoTime();
    }
  }

  /** From here on nobody interrupts the caller; whether somebody did. */
  private boolean end() {
    lock.lock();
    try {
      ended = true;
      return interrupted;
    } finally {
      lock.unlock();
    }
  }

  // ---- judging --------------------------------------------------------------------------------

  private void judge(List<String> wrong) {
    if (failure == null) {
      if (madeTooLate) {
        wrong.add("a call of a closed client succeeds");
      } else if (outcome == Outcome.WHOLE && !plan.canSucceed()) {
        if (plan.isLongerThanNothing() && round.allowed().mayMissSurplus()) {
          round.count("excused: the library closed before the surplus came");
        } else {
          wrong.add("succeeds, which it cannot");
        }
      }
    } else if (!mayFailWith(failure)) {
      wrong.add("fails with what it may not: " + failure);
    } else {
      String known = round.allowed().known(failure);
      if (known != null) {
        round.count("excused: " + known);
      }
    }
  }

  private boolean mayFailWith(Throwable failure) {
    if (failure instanceof AssertionError) {
      return false;
    }
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each.equals(torn) || isOfSource(each)) {
        ofSource = true;
        explained = true;
        return true;
      }
    }
    boolean endedByLibrary = excuseConnections();
    maybeCut = isOfLate(round.server().brokenAt(), round.allowed().mayBeStale());
    narrowed = isOfLate(round.server().narrowedAt(), Bounds.RELEASE);
    boolean disturbed = isDisturbed();
    explained = disturbed || isTooLateToBegin();
    if (round.allowed().mayNotGoAgain(failure, plan.source != null, target != null)
        && Bounds.holds(Bounds.ARRIVAL, this::isRefused)) { // which the server may see later
      explained = true;
      round.count("excused: a request that was refused did not go again");
      return true;
    }
    int beyond = lastIgnored();
    if (round.isImpatient()
        && beyond > 0
        && isOneOf(TIMED_OUT, failure)
        && round.mayMissGoAway(beyond)) {
      explained = true;
      round.count(BEYOND_GOAWAY);
      return true;
    }
    if (isOneOf(plan.mayFail, failure)) {
      if (plan.isUndisturbed() && !disturbed && isTooLateToBegin()) {
        round.count("failed as its connection took no more, its source begun");
        return round.mayFailUnsent();
      }
      return true;
    }
    if (round.isClosed() // it cannot answer refusals by going again any more
        && (isOneOf(CLOSED, failure) || isOneOf(SoakPlan.REFUSALS, failure))) {
      return true;
    }
    if (seen().isEmpty() && round.mayBreakProtocol(String.valueOf(failure.getMessage()))) {
      explained = true; // and so it is of all calls of that client from then on
      return true;
    }
    if (disturbed
        && (isOneOf(SoakPlan.CONNECTION_ENDS, failure)
            || isOneOf(SoakPlan.OPENING_ENDS, failure))) {
      round.count("failed as the server ended its connection");
      return !seen().isEmpty() || round.mayFailUnsent();
    }
    if (endedByLibrary) {
      explained = true;
      return !seen().isEmpty() || round.mayFailUnsent();
    }
    if (isInterruptedTooEarly(failure)) {
      round.count("excused: an interrupt came before the exchange had begun");
      return true;
    }
    return false;
  }

  /**
   * Excuses the connection of a call whose failure says that the library itself has ended it, where
   * it may. Again once all calls are over: the server may come to know of this one later.
   *
   * @return whether the failure says so
   */
  boolean excuseConnections() {
    if (failure == null
        || closedUnderIt // which ends all
        || !round.allowed().mayEndConnection(round.wire(), failure)) {
      return false;
    }
    round.excuse(seen());
    return true;
  }

  private boolean isOneOf(Set<Failure> kinds, Throwable failure) {
    return kinds.stream().anyMatch(kind -> round.driver().isExpected(kind, failure));
  }

  /** Whether the library has met an interrupt where it is known to lose it, and sent nothing. */
  private boolean isInterruptedTooEarly(@Nullable Throwable failure) {
    return failure != null
        && interrupted
        && seen().isEmpty()
        && round.allowed().mayLoseInterrupt(failure);
  }

  /** Whether the server has refused, or not looked at, the request that it was to answer last. */
  private boolean isRefused() {
    List<Seen> last = lastSeen();
    return round.wire().isMultiplexed()
        && (target != null || !last.isEmpty()) // what comes of a redirect, the library may not send
        && last.stream().allMatch(Seen::isRefused);
  }

  private boolean isOfSource(Throwable failure) {
    return (plan.manner == Manner.SLOW || plan.manner == Manner.BLOCKED)
        && (interrupted || isCancelledByInterrupt())
        && failure instanceof InterruptedIOException
        && String.valueOf(failure.getMessage()).startsWith("the source");
  }

  /**
   * Whether the server has ended the connection under the call, when that was last sent, or that
   * which it was to be sent on.
   */
  private boolean isDisturbed() {
    List<Seen> all = lastSeen();
    if (!all.isEmpty() && isOnBrokenConnection(all.getLast())) {
      return true;
    }
    return maybeCut && (all.isEmpty() || all.getLast().isRefused() || plan.mayGoAgain());
  }

  /**
   * Whether its connection may have taken no more of it, once its source was asked for what can be
   * sent once. One whose source was not asked goes elsewhere; that of no bytes, as it is known, may
   * not be asked at all.
   */
  private boolean isTooLateToBegin() {
    boolean empty = plan.source == Source.SIZED_STREAM && plan.size == 0;
    return (begun || empty) && seen().isEmpty() && narrowed;
  }

  /** Whether that was in the time of the call, or shortly before. */
  private boolean isOfLate(long time, Duration before) {
    return time > startedAt - before.toNanos();
  }

  private boolean isOnBrokenConnection(Seen each) {
    return round.server().hasBroken(each.connection());
  }

  /** Whether the second interrupt may have come after the first was thrown. */
  private boolean isInterruptedTwice() {
    return struckAt != 0 && plan.endings.containsAll(List.of(Ending.FLAGGED, Ending.INTERRUPT));
  }

  private void judgeFlag(boolean struck, boolean flag, List<String> wrong) {
    if (failure instanceof InterruptedException && isCancelledByInterrupt()) {
      return;
    }
    if (failure instanceof InterruptedException) {
      if (flag && isInterruptedTwice()) {
        round.count("excused: the flag is kept, of who was interrupted twice");
      } else if (flag) {
        wrong.add("the flag is kept beside an InterruptedException");
      } else if (!struck) {
        wrong.add("an InterruptedException, and nobody has interrupted");
      }
    } else if (struck && !flag && isTakenForItsOwn()) {
      round.count("excused: an interrupt came with the deadline's");
    } else if (struck && !flag && !isInterruptedTooEarly(failure)) {
      wrong.add("the interrupt is lost");
    } else if (!struck && flag && !isCancelledByInterrupt()) {
      wrong.add("the flag is set, and nobody has interrupted");
    }
  }

  private boolean isTakenForItsOwn() {
    Throwable of = failure;
    return of != null
        && plan.endings.containsAll(List.of(Ending.INTERRUPT, Ending.DEADLINE))
        && round.driver().isExpected(Failure.DEADLINE, of)
        && round.allowed().mayTakeInterruptForItsOwn();
  }

  /** Where a library knows no other way to cancel. */
  private boolean isCancelledByInterrupt() {
    return plan.endings.contains(Ending.CANCEL)
        && round.driver().isExpected(Failure.CANCELLED, new InterruptedException());
  }

  private void judgeTime(long endedAt, List<String> wrong) {
    long late = endedAt - bound();
    if (late > 0) {
      wrong.add("ends " + late / 1_000_000 + " ms after its bound");
    }
    boolean early =
        endedAt - startedAt < deadline().toNanos() - PAUSE_NANOS
            && plan.endings.equals(EnumSet.of(Ending.DEADLINE))
            && !round.isClosed();
    if (failure != null
        && early
        && round.driver().isExpected(Failure.DEADLINE, failure)
        && !isOneOf(SoakPlan.REFUSALS, failure)
        && !isOneOf(SoakPlan.CONNECTION_ENDS, failure)) {
      wrong.add("ends before its deadline");
    }
    if (failure != null
        && plan.mayFail.contains(Failure.READ_TIMEOUT)
        && !plan.endings.contains(Ending.DEADLINE) // some libraries tell both alike
        && isOneOf(TIMED_OUT, failure)) {
      round.count("timed out");
      if (endedAt - startedAt < Soak.READ_TIMEOUT.minus(TICK).toNanos()) {
        wrong.add("times out before its time");
      }
    }
  }

  /** When the call has to be at its end, by {@link System#nanoTime()}. */
  private long bound() {
    if (plan.endings.contains(Ending.FLAGGED)) {
      return startedAt + Bounds.PROMPT.toNanos(); // it does not even begin
    }
    long bound =
        struckAt == 0
            ? startedAt + Bounds.LONG.toNanos()
            : Math.max(struckAt, startedAt) + Bounds.PROMPT.toNanos();
    return round.isShut()
        ? Math.min(bound, Math.max(round.shutAt(), startedAt) + Bounds.PROMPT.toNanos())
        : bound;
  }

  /** Whether the call has not ended, and should have. */
  boolean isOverdue() {
    return isOverdue(Duration.ZERO);
  }

  /** By far. */
  boolean hangs() {
    return isOverdue(Bounds.LONG);
  }

  private boolean isOverdue(Duration by) {
    return caller != null && !over && System.nanoTime() - bound() > by.toNanos();
  }

  @Nullable Thread caller() {
    return caller;
  }

  /** The connection that the call waits on although that takes no more; 0 if it does not. */
  int beyondGoAway() {
    boolean waits = !over && struckAt == 0 && !plan.endings.contains(Ending.FLAGGED);
    return waits ? lastIgnored() : 0;
  }

  /** The connection that it was last sent on, if that took no more by then; else 0. */
  private int lastIgnored() {
    List<Seen> all = seen();
    return !all.isEmpty() && all.getLast().isIgnored() ? all.getLast().connection() : 0;
  }

  /** Its connection is ended, which nothing else was to do. */
  void letGo() {
    struckAt = System.nanoTime();
    round.count(BEYOND_GOAWAY);
  }

  // ---- what the server has seen ---------------------------------------------------------------

  private List<Seen> seen() {
    List<Seen> all = new ArrayList<>(round.server().arrived(uri));
    if (target != null) {
      all.addAll(round.server().arrived(target));
    }
    return all;
  }

  /** Of the request that the server was to answer last. */
  private List<Seen> lastSeen() {
    return round.server().arrived(target == null ? uri : target);
  }

  /** Whether the server still waits with an answer, and does not know that nobody else does. */
  boolean isForgottenByItsClient() {
    boolean waits = plan.isEndless() && plan.meeting != SoakPlan.Meeting.STALL;
    return lastSeen().stream()
        .anyMatch(each -> (each.isStalled() || waits) && !each.isAborted() && !each.isRefused());
  }

  /** The server reads on, or it would not see that its client leaves, and keep what has come. */
  void readOn() {
    if (plan.meeting == SoakPlan.Meeting.UNREAD) {
      seen().forEach(Seen::readOn);
    }
  }

  /** It, and the calls that were made within it. */
  Stream<SoakCall> all() {
    return Stream.concat(Stream.of(this), nested.stream());
  }

  boolean hasSucceeded() {
    return outcome == Outcome.WHOLE;
  }

  /** Whether a response's head came, and nobody but its reader was to end the call. */
  boolean isAnswered() {
    return answered && EnumSet.of(Ending.CLOSE).containsAll(plan.endings);
  }

  /** Whether it has failed once the response's head had come. */
  boolean hasFailedInBody() {
    return answered && failure != null;
  }

  @Nullable Throwable failure() {
    return failure;
  }

  /** Whether the library has dropped its response. */
  boolean wasDropped() {
    Throwable its = failure;
    return its != null && round.allowed().mayDropResponse(its) && !lastSeen().isEmpty();
  }

  /** Whether the server has sent the response to its end. */
  private boolean isSentWhole() {
    return lastSeen().stream().anyMatch(Seen::isAnswered);
  }

  /**
   * Whether its caller did not read the body to its end, and the whole may have come: it was closed
   * early, or ended as the server had sent it.
   */
  boolean mayHaveCompleted() {
    return outcome == Outcome.CLOSED_EARLY
        || (hasFailedInBody() && !plan.endings.isEmpty() && isSentWhole());
  }

  /**
   * Whether its caller had the whole response, and another thread may have ended it just before it
   * was seen to be whole: its event may tell of either.
   */
  boolean mayHaveEnded() {
    return hasSucceeded()
        && (plan.endings.contains(Ending.CANCEL) || plan.endings.contains(Ending.DEADLINE));
  }

  /** Whether what it sent, or what it read from, can still be reached. */
  boolean isBodyKept() {
    return isReached(body) || isReached(read);
  }

  private static boolean isReached(@Nullable WeakReference<Object> reference) {
    return reference != null && reference.get() != null;
  }

  /** Once there is no connection any more. */
  void judgeServer() {
    nested.forEach(SoakCall::judgeServer);
    judgeServer(uri, target == null);
    if (target != null) {
      judgeServer(target, true);
    }
    round.server().forget(uri);
    if (target != null) {
      round.server().forget(target);
    }
  }

  private void judgeServer(URI at, boolean last) {
    List<Seen> all = round.server().arrived(at);
    List<Seen> taken = all.stream().filter(each -> !each.isRefused()).toList();
    boolean refused = taken.size() < all.size();
    round.requests(all.size());
    if (plan.endings.contains(Ending.FLAGGED) && !all.isEmpty()) {
      round.wrong(this, "is sent, although its caller was interrupted before", null);
    }
    if (madeTooLate && !all.isEmpty()) {
      round.wrong(this, "is sent by a client that is closed", null);
    }
    if (plan.source != null && taken.size() > 1 && !mayArriveTwice(taken, last)) {
      round.wrong(this, "a POST arrives " + taken.size() + " times", null);
    }
    if (outcome == Outcome.WHOLE && taken.isEmpty()) {
      round.wrong(this, "succeeds, and the server knows of nothing", null);
    }
    if (plan.isUndisturbed()
        && all.stream().noneMatch(this::isOnBrokenConnection)
        && !closedUnderIt) {
      if (taken.size() > 1) {
        if (!round.excusesLoss()) {
          round.wrong(this, "is sent again for no reason", null);
        }
      } else if (outcome == Outcome.FAILED
          && !(taken.isEmpty()
              ? refused || explained
              : (refused || maybeCut) && !isWhole(taken.getLast()) && hasGoneAgain(all))) {
        round.wrong(this, "fails, and the server did what it should", failure);
      }
    }
    if (last && isGivenUp(all)) {
      round.wrong(
          this, "is given up, and neither its caller nor the server has asked for that", failure);
    }
    for (Seen each : all) {
      if (!each.isBodySound()) {
        round.wrong(this, "what is not of the body is in the body", null);
      }
      if (each.isBodyComplete() && each.bodyBytes() != plan.size) {
        round.wrong(this, "a body that was cut is taken for a whole one", null);
      }
    }
    if (last && outcome == Outcome.WHOLE && plan.isBodyTaken() && !taken.isEmpty()) {
      Seen answered = taken.getLast();
      if (!answered.isBodyComplete()) {
        round.wrong(this, "succeeds, and its body has not arrived: " + answered, null);
      }
    }
  }

  /**
   * Whether it fails as if the server had refused it, or ended its connection, which has not. Of
   * what the server has begun to take there is no doubt; of other calls there is none if it has not
   * ended a connection, nor told one to take less.
   */
  private boolean isGivenUp(List<Seen> all) {
    Throwable of = failure;
    if (of == null
        || !plan.isMild()
        || plan.isUndisturbed() // that has been looked at
        || !plan.isRefusedBy(kind -> round.driver().isExpected(kind, of))
        || all.stream().anyMatch(each -> each.isRefused() || isOnBrokenConnection(each))
        || closedUnderIt) {
      return false;
    }
    boolean taken = !all.isEmpty() && !isOfSecondAttempt();
    return taken ? !ofSource : !(maybeCut || explained || narrowed);
  }

  /** Whether the server has seen an attempt before the last, or there was one. */
  private boolean hasGoneAgain(List<Seen> all) {
    return all.size() > 1 || isOfSecondAttempt();
  }

  /**
   * Whether the library says that there was an attempt before, of which there is nothing to see.
   */
  private boolean isOfSecondAttempt() {
    Throwable of = failure;
    boolean is = of != null && round.allowed().isOfSecondAttempt(of);
    if (is) {
      round.count("excused: a second attempt of the library's own");
    }
    return is;
  }

  /**
   * Whether nothing is known to be missing of it; what went again after it was refused, or cut, on
   * another connection may have had nothing left to send of its body.
   */
  private boolean isWhole(Seen each) {
    return plan.mayFail.isEmpty() || each.isBodyComplete();
  }

  /** OkHttp sends a POST again whose connection broke, if its body is in memory: it says so. */
  private boolean mayArriveTwice(List<Seen> taken, boolean last) {
    boolean broken =
        (last && plan.mayGoAgain()) || taken.stream().anyMatch(this::isOnBrokenConnection);
    boolean may = plan.source == Source.BYTES && broken && round.allowed().mayPostAgain();
    if (may) {
      round.count("excused: a POST of bytes arrives again");
    }
    return may;
  }

  @Override
  public String toString() {
    return plan + (begun ? ", begun" : "") + "\n  " + seen();
  }
}
