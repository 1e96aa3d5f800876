package io.heddle.conformance;

import io.heddle.pinning.PinningRecorder;
import io.heddle.pinning.PinningReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import org.jspecify.annotations.Nullable;

/**
 * Many calls at once that meet everything at once: what each of them meets is drawn from a seed, so
 * that what may come of it is known, and is judged.
 *
 * <p>A soak goes in rounds of {@value #CALLS_A_ROUND} calls. Each has a client of its own, which
 * has many places or few, is closed at the end or under load, and talks to one of two servers: the
 * calm one ends no connection under another's call, so that whatever nothing happens to succeeds;
 * the rough one does. After each round all must be back that it took.
 *
 * <p>System properties: {@value #CALLS} is how many calls there are, {@value #DEFAULT_CALLS} unless
 * told; {@value #SEED} is the seed; {@value #ROUND} is the one round to run, from 0: all, unless
 * told. Who waits for whom is not drawn: a round that has failed once may have to run many times.
 */
final class Soak {

  static final String CALLS = "heddle.soak.calls";
  static final String SEED = "heddle.soak.seed";
  static final String ROUND = "heddle.soak.round";

  private static final int DEFAULT_CALLS = 2000;
  private static final int CALLS_A_ROUND = 250;
  private static final int CALLERS = 48;

  /** Of which so many are platform threads. */
  private static final int PLATFORM_CALLERS = 6;

  /** How many rounds until what is used once and again is warm. */
  private static final int WARM = 4;

  /** Of so many rounds one is recorded, besides the last, to see what pins. */
  private static final int RECORDED = 51; // odd, and so of every kind of round in turn

  /** The first rough round that is warm, which is recorded as well. */
  private static final int ROUGH = 6;

  /** What a client may keep of its last calls. */
  private static final int KEPT = 30;

  /** How many connections of a round a library may end that is known to do so. */
  private static final int ENDED_BY_LIBRARY = 3;

  /** On so many connections of a round calls may be sent beyond a GOAWAY, and wait. */
  private static final int BEYOND_GOAWAY = 2;

  /** How many calls of a round may fail unsent: twice all connections are ended under all. */
  private static final int UNSENT = 2 * CALLERS;

  /** The library's own timeout, of clients that have one: nothing that goes on comes near it. */
  static final Duration READ_TIMEOUT = Bounds.patient(Duration.ofSeconds(2));

  /** Between the two GOAWAYs of a server that leaves in two steps. */
  private static final Duration STEP = Duration.ofMillis(20);

  /** How many of the things that are wrong are told. */
  private static final int TOLD = 10;

  /** How a client of which nothing is asked any more ends what it says of itself. */
  private static final String IDLE = "calls in flight: 0, waiting for a place: 0]";

  /** A logger, to try whether what is logged is heard. */
  private static final String PROBE = Soak.class.getName();

  private static final Path DUMPS = Path.of("target", "thread-dumps");

  private final Kit kit;
  private final SoakSuite allowed;
  private final FaultServer calm;
  private final FaultServer rough;
  private final long seed = Long.getLong(SEED, 20261122);
  private final int calls = Integer.getInteger(CALLS, DEFAULT_CALLS);

  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
  private final Map<String, LongAdder> kinds = new ConcurrentSkipListMap<>();
  private final Map<String, LongAdder> counts = new ConcurrentSkipListMap<>();
  private final Map<String, Path> dumps = new ConcurrentHashMap<>();

  /**
   * A soak to be run.
   *
   * @param allowed what is known of the library, and excused
   */
  Soak(Kit kit, SoakSuite allowed) {
    this.kit = kit;
    this.allowed = allowed;
    this.calm = kit.server(Certificates.RIGHT, 100);
    this.rough = kit.server(Certificates.RIGHT, 100);
  }

  /** Runs it, and fails at the end of the first round in which something is wrong. */
  void run() throws Exception {
    new LostBuffers().close(); // what others have lost is not ours
    long start = System.nanoTime();
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, e) -> wrong.add("uncaught in " + thread + ": " + Round.trace(e)));
    Errors errors = new Errors();
    Logger.getLogger("").addHandler(errors);
    try {
      errors.assertHearsLibrary();
      for (int each : rounds()) {
        conduct(each);
      }
      assertNoDeadlineIsWatched();
      Kit.check(wrong.isEmpty(), "after the last round: " + wrong + "; " + again(""));
    } finally {
      Logger.getLogger("").removeHandler(errors);
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
    if (System.getProperty(CALLS) != null) {
      long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds();
      System.out.println(
          kit.driver().getClass().getSimpleName()
              + " "
              + kit.wire()
              + ", Java "
              + Runtime.version().feature()
              + ", seed "
              + seed
              + ": "
              + new TreeMap<>(counts)
              + " in "
              + seconds
              + " s, nothing wrong");
    }
  }

  /** Core's thread ends 2 s after the last call whose deadline it watches. */
  private void assertNoDeadlineIsWatched() throws InterruptedException {
    for (Thread each : Thread.getAllStackTraces().keySet()) {
      if ("heddle-deadlines".equals(each.getName())) {
        boolean ends = each.join(Bounds.patient(Duration.ofSeconds(4)));
        Kit.check(ends, "a deadline is watched of a call that has ended; " + again(""));
      }
    }
  }

  /** All rounds, or the one; before one that is recorded, those that make it warm. */
  private List<Integer> rounds() {
    int only = Integer.getInteger(ROUND, -1);
    return IntStream.range(0, Math.max(roundsInAll(), only + 1))
        .filter(each -> only < 0 || each == only || (each < WARM && isRecorded(only)))
        .boxed()
        .toList();
  }

  private int roundsInAll() {
    return (calls + CALLS_A_ROUND - 1) / CALLS_A_ROUND;
  }

  private boolean isRecorded(int round) {
    boolean one = round == ROUGH || round % RECORDED == RECORDED - 1;
    return round >= WARM && (one || round == roundsInAll() - 1);
  }

  /** On a platform thread: what waits here is the kit's, and no pin of the adapter's. */
  private void conduct(int round) {
    Caller<@Nullable Void> conductor =
        new Caller<>(
            Thread.ofPlatform(),
            () -> {
              run(round);
              return null;
            });
    try {
      conductor.start().result(Bounds.LONG.multipliedBy(60));
    } catch (AssertionError e) {
      wrong.add("the round broke; all threads are in " + dump("end") + ": " + Round.trace(e));
    }
    assertNothingWrong(round);
  }

  private void run(int round) throws Exception {
    if (!isRecorded(round)) {
      new Round(round).run();
      return;
    }
    PinningReport pins =
        PinningRecorder.record(0, () -> new Round(round).run())
            .ignoringClassLoading()
            .ignoring("jdk\\.jfr\\.internal\\.", "JFR has a monitor of its own while it records")
            .ignoringContention(Pinning.CONTENTION);
    allowed.withoutKnownPins(kit.wire(), pins).assertClean();
    if (!pins.events().isEmpty()) {
      count("excused: a round with pins of the library's own");
    }
  }

  /** All threads, as they stood when this happened first. */
  private Path dump(String what) {
    return dumps.computeIfAbsent(what, this::writeDump);
  }

  private Path writeDump(String what) {
    try {
      Files.createDirectories(DUMPS);
      String name = kit.driver().getClass().getSimpleName() + "-" + kit.wire();
      return Files.writeString(DUMPS.resolve(name + "-soak-" + what + ".txt"), AllThreads.dump());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void assertNothingWrong(int round) {
    if (wrong.isEmpty()) {
      return;
    }
    List<String> told = wrong.stream().limit(TOLD).toList();
    throw new AssertionError(
        "%d things are wrong in round %d, %s; %s\n%s"
            .formatted(
                wrong.size(),
                round,
                kinds,
                again(" -D" + ROUND + "=" + round),
                String.join("\n\n", told)));
  }

  /** How to run this soak again. */
  private String again(String round) {
    return "again: -D%s=%d -D%s=%d -D%s=%s%s %s, for %s, with JDK %d"
        .formatted(
            SEED,
            seed,
            CALLS,
            calls,
            SoakSuite.WIRE,
            kit.wire(),
            round,
            Bounds.option(),
            kit.driver().getClass().getSimpleName(),
            Runtime.version().feature());
  }

  private void count(String what) {
    counts.computeIfAbsent(what, key -> new LongAdder()).increment();
  }

  /** What is logged as an error. */
  private final class Errors extends Handler {
    private volatile boolean probed;

    /** What goes to SLF4J, where there is such, has to come here: what it is bound to is tried. */
    void assertHearsLibrary() throws ReflectiveOperationException {
      Object logger;
      try {
        logger =
            Class.forName("org.slf4j.LoggerFactory")
                .getMethod("getLogger", String.class)
                .invoke(null, PROBE);
      } catch (ClassNotFoundException e) {
        return; // no library here uses it
      }
      Class.forName("org.slf4j.Logger").getMethod("error", String.class).invoke(logger, "heard?");
      Kit.check(probed, "what is logged to SLF4J does not come to java.util.logging");
    }

    @Override
    public void publish(LogRecord logged) {
      if (PROBE.equals(logged.getLoggerName())) {
        probed = true;
        return;
      }
      if (logged.getLevel().intValue() < Level.SEVERE.intValue()) {
        return;
      }
      if (allowed.mayLog(logged)) {
        count("excused: logged by " + logged.getLoggerName());
      } else {
        Throwable thrown = logged.getThrown();
        wrong.add(
            "logged as an error by "
                + logged.getLoggerName()
                + ": "
                + logged.getMessage()
                + (thrown == null ? "" : "\n" + Round.trace(thrown)));
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  /** One client, and the calls that are made with it. */
  final class Round {
    private final int index;
    private final boolean few;
    private final boolean closing;
    private final boolean impatient;
    private final FaultServer server;
    private final SplittableRandom random;
    private final LeakCheck.Snapshot before = LeakCheck.Snapshot.take();
    private final long pipes = LeakCheck.pipes();
    private final Client client;
    private final AtomicInteger next = new AtomicInteger();
    private volatile boolean closed;
    private volatile boolean shut;
    private volatile long shutAt;
    private final Queue<SoakCall> made = new ConcurrentLinkedQueue<>();
    private final List<Caller<@Nullable Void>> callers = new ArrayList<>();
    private final Set<Integer> excused = ConcurrentHashMap.newKeySet();
    private final AtomicInteger unsent = new AtomicInteger();
    private int losses;
    private final Set<Integer> beyondGoAway = ConcurrentHashMap.newKeySet();

    Round(int index) throws Exception {
      this.index = index;
      boolean isRough = index % 4 == 2;
      this.few = index % 2 == 1;
      this.closing = index % 8 == 3 || index % 8 == 4 || index % 16 == 10;
      this.impatient = index % 8 == 5 || index % 16 == 14; // calm and few, rough and many
      this.server = isRough ? rough : calm;
      this.random = new SplittableRandom(SoakPlan.mixed(seed) - index);
      ClientSettings.Builder settings =
          kit.settings().maxConnections(places()).followRedirects().decompress();
      if (impatient) {
        settings.readTimeout(READ_TIMEOUT);
      }
      this.client = kit.driver().open(settings.build());
    }

    /** Many are more than there are callers, each of which makes at most two calls at a time. */
    private int places() {
      if (kit.wire().isMultiplexed()) {
        return few ? 1 : 4;
      }
      return few ? 8 : CALLERS + 16;
    }

    /** Whether callers who wait within a call leave streams to each other. */
    private boolean mayNest() {
      boolean fewStreams = kit.wire().isMultiplexed() && server == calm;
      return !few && !(fewStreams && allowed.hasOneConnection());
    }

    FaultServer server() {
      return server;
    }

    Client client() {
      return client;
    }

    ClientDriver driver() {
      return kit.driver();
    }

    /** Whether somebody has begun to close the client. */
    boolean isClosed() {
      return closed;
    }

    /** Whether the client has a read timeout that may come. */
    boolean isImpatient() {
      return impatient;
    }

    /** Whether the client has been closed. */
    boolean isShut() {
      return shut;
    }

    /** When that was, by {@link System#nanoTime()}. */
    long shutAt() {
      return shutAt;
    }

    SoakSuite allowed() {
      return allowed;
    }

    Wire wire() {
      return kit.wire();
    }

    void count(String what) {
      Soak.this.count(what);
    }

    /** Whether a request may have gone again, as the library had closed its connection. */
    boolean excusesLoss() {
      if (kit.wire().isMultiplexed() || losses >= allowed.mayLose()) {
        return false;
      }
      losses++;
      count("excused: a request went again, whose connection the library had closed");
      return true;
    }

    /**
     * Lets calls end that wait where the library is known to leave them: on a connection that takes
     * no more, and lives on, as others are on it. Nothing was to end them, and this does so once.
     */
    private void letGo(int connection) {
      if (!beyondGoAway.contains(connection) && mayMissGoAway(connection)) {
        made.stream().filter(each -> each.beyondGoAway() == connection).forEach(SoakCall::letGo);
        server.closeConnection(connection);
      }
    }

    /** Whether calls may be left on this connection, which takes no more; on two in a round. */
    boolean mayMissGoAway(int connection) {
      if (!allowed.mayMissGoAway()) {
        return false;
      }
      beyondGoAway.add(connection);
      return beyondGoAway.size() <= BEYOND_GOAWAY;
    }

    /** The library may have ended these connections, of its own accord; a few in a round. */
    void excuse(List<Seen> on) {
      for (Seen each : on) {
        if (excused.add(each.connection())) {
          server.excuse(each.connection());
          count("excused: a connection that the library has ended");
        }
      }
    }

    /** Whether one call more may fail of which the server has seen nothing, and could not. */
    boolean mayFailUnsent() {
      return unsent.incrementAndGet() <= UNSENT;
    }

    void requests(int more) {
      counts.computeIfAbsent("requests", key -> new LongAdder()).add(more);
    }

    void wrong(SoakCall call, String what, @Nullable Throwable failure) {
      kinds.computeIfAbsent(what.split(":", 2)[0], key -> new LongAdder()).increment();
      wrong.add(call + "\n  " + what + (failure == null ? "" : "\n" + trace(failure)));
    }

    static String trace(Throwable failure) {
      StringWriter out = new StringWriter();
      failure.printStackTrace(new PrintWriter(out));
      return out.toString().strip();
    }

    // ---- the round ----------------------------------------------------------------------------

    void run() throws Exception {
      boolean lost = index % 5 == 4 || index == 2; // of every kind of round in turn; a rough one
      boolean told =
          allowed.tellsEnds(kit.wire())
              && index % 5 == 1
              && !closing; // or a close may end one as its caller succeeds
      try (LostBuffers buffers = lost ? new LostBuffers() : null;
          RecordedCalls events = told ? RecordedCalls.start() : null) {
        conduct();
        if (events != null) {
          judgeEvents(events.calls(server.uri(Script.ok())));
        }
        if (buffers != null) {
          // Twice: the collector does not tell of all that it finds in one order.
          Stream.of(buffers.earlier(), buffers.found(), buffers.found())
              .flatMap(List::stream)
              .forEach(each -> wrong.add("a buffer is not released: " + each));
        }
      }
      made.stream().flatMap(SoakCall::all).forEach(SoakCall::excuseConnections);
      if (excused.size() > ENDED_BY_LIBRARY) {
        wrong.add("the library has ended " + excused.size() + " connections in round " + index);
      }
      made.forEach(SoakCall::judgeServer);
      server.takeMalformed().forEach(this::judgeMalformed);
      before.assertNoLeaks(kit.driver()::outlivesClients);
      if (!Bounds.holds(Bounds.RELEASE, () -> LeakCheck.pipes() <= pipes)) {
        wrong.add(
            "ends of pipes: %d more, in round %d".formatted(LeakCheck.pipes() - pipes, index));
      }
    }

    /**
     * As many events tell of success as there are calls that have succeeded, but for those that
     * another thread was to end; and at least as many tell of a response as there are calls that
     * had one, and were not ended as it came.
     */
    private void judgeEvents(List<RecordedEvent> events) {
      // A redirect may have an event of its own.
      List<RecordedEvent> ofLast =
          events.stream().filter(each -> each.getInt("status") / 100 != 3).toList();
      long answered = ofLast.stream().filter(each -> each.getInt("status") > 0).count();
      long completed =
          ofLast.stream().filter(each -> each.getString("ended").equals("completed")).count();
      List<SoakCall> all = made.stream().flatMap(SoakCall::all).toList();
      long answers = all.stream().filter(SoakCall::isAnswered).count();
      long succeeded = all.stream().filter(SoakCall::hasSucceeded).count();
      long least = succeeded - all.stream().filter(SoakCall::mayHaveEnded).count();
      long most = succeeded + all.stream().filter(SoakCall::mayHaveCompleted).count();
      if (completed < least || completed > most || answered < answers) {
        wrong.add(
            "%d events tell of calls that have succeeded, which are %d, of which %d may have been"
                    .formatted(completed, succeeded, succeeded - least)
                + " ended, and %d more of which all may have come;".formatted(most - succeeded)
                + " %d events tell of a response, which %d calls had, in round %d;"
                    .formatted(answered, answers, index)
                + " in their bodies failed:\n"
                + all.stream()
                    .filter(SoakCall::hasFailedInBody)
                    .map(each -> each + "\n  " + each.failure())
                    .collect(Collectors.joining("\n"))
                + "\nthe other events:\n"
                + ofLast.stream()
                    .filter(each -> !each.getString("ended").equals("completed"))
                    .map(each -> RecordedCalls.inShort(each) + " " + each.getString("failure"))
                    .collect(Collectors.joining("\n"))
                + "\nmay have been ended:\n"
                + all.stream()
                    .filter(SoakCall::mayHaveEnded)
                    .map(SoakCall::toString)
                    .collect(Collectors.joining("\n")));
      }
      count("rounds whose events agree");
    }

    private void judgeMalformed(String told) {
      if (!mayBreakProtocol(told)) {
        wrong.add("no request that can be: " + told);
      }
    }

    /** Whether the server, or a call, tells of what the library is known to do, and counts it. */
    boolean mayBreakProtocol(String told) {
      boolean may = server == rough && allowed.mayBreakProtocol(told);
      if (may) {
        count("excused: what is no request");
      }
      return may;
    }

    private void conduct() throws Exception {
      server.requestsPerConnection(
          random.nextInt(4) == 0 ? Integer.MAX_VALUE : 5 + random.nextInt(60));
      server.maxStreams(100);
      for (int i = 0; i < CALLERS; i++) {
        Thread.Builder kind = i < PLATFORM_CALLERS ? Thread.ofPlatform() : Thread.ofVirtual();
        callers.add(new Caller<>(kind, this::makeCalls).start()); // the kit would keep them
      }
      try {
        disturb();
        awaitCallers();
        if (closing) {
          assertNoLeases(dropped());
        } else {
          assertIdle();
        }
      } catch (Throwable e) {
        callers.forEach(each -> each.thread().interrupt()); // what hangs may be let go so
        client.close();
        throw e;
      }
      close();
      if (!Bounds.holds(Bounds.LONG, this::haveAllEnded)) {
        List<String> left = before.leaks(kit.driver()::outlivesClients); // on both sides
        throw new AssertionError("the server does not see all connections end: " + left);
      }
      readOn();
    }

    private boolean haveAllEnded() {
      readOn();
      return server.connectionsOpen() == 0;
    }

    private @Nullable Void makeCalls() {
      for (int i = next.getAndIncrement(); i < CALLS_A_ROUND; i = next.getAndIncrement()) {
        long number = (long) index * CALLS_A_ROUND + i + 1;
        SoakPlan plan =
            new SoakPlan(seed, number, kit.wire(), server == rough, mayNest(), impatient);
        SoakCall call = new SoakCall(this, plan);
        made.add(call);
        call.run();
      }
      return null;
    }

    /** What happens to all calls at once, each at some point of the round. */
    private void disturb() throws Exception {
      if (server == rough) {
        at(CALLS_A_ROUND / 3);
        server.closeConnections();
        at(2 * CALLS_A_ROUND / 3);
        server.resetConnections();
      } else if (kit.wire().isMultiplexed()) {
        at(CALLS_A_ROUND / 4);
        server.maxStreams(4 + random.nextInt(8));
        at(CALLS_A_ROUND / 2);
        server.maxStreams(20 + random.nextInt(80));
        if (random.nextBoolean()) {
          at(CALLS_A_ROUND * 2 / 3);
          server.leaveInTwoSteps(STEP);
        }
      }
      if (closing) {
        at(CALLS_A_ROUND * 4 / 5);
        close();
      }
    }

    /** Waits until so many calls have begun. */
    private void at(int calls) {
      while (next.get() < calls && callers.stream().anyMatch(each -> !each.isDone())) {
        look();
      }
    }

    private void awaitCallers() {
      while (callers.stream().anyMatch(each -> !each.isDone())) {
        look();
      }
      callers.forEach(each -> each.result(Bounds.PROMPT));
    }

    /** A moment later none of the calls hangs. */
    private void look() {
      try {
        Thread.sleep(2);
      } catch (InterruptedException e) {
        throw new AssertionError("the soak was interrupted", e);
      }
      made.stream()
          .filter(SoakCall::isOverdue)
          .mapToInt(SoakCall::beyondGoAway)
          .filter(each -> each > 0)
          .forEach(this::letGo);
      List<SoakCall> hanging = made.stream().filter(SoakCall::hangs).toList();
      if (!hanging.isEmpty()) {
        for (SoakCall each : hanging) {
          AssertionError where = new AssertionError("where it hangs");
          where.setStackTrace(Kit.present(each.caller(), "a caller").getStackTrace());
          wrong(each, "hangs; all threads are in " + dump("hang"), where);
        }
        throw new AssertionError(hanging.size() + " calls hang");
      }
    }

    private void assertNoLeases(int dropped) {
      if (!Bounds.holds(Bounds.RELEASE, () -> client.leases() <= dropped)) {
        wrong.add(
            "leases: %d, not %d, in round %d: %s; its calls failed with %s; all threads are in %s"
                .formatted(
                    client.leases(), dropped, index, client.describe(), failures(), dump("lease")));
      }
    }

    /** What the calls failed with, and how many with each. */
    private Map<String, Long> failures() {
      return made.stream()
          .flatMap(SoakCall::all)
          .flatMap(each -> Stream.ofNullable(each.failure()))
          .map(each -> each.toString().replaceAll("[0-9]+", "#"))
          .collect(Collectors.groupingBy(each -> each, TreeMap::new, Collectors.counting()));
    }

    private int dropped() {
      List<SoakCall> dropped =
          made.stream().flatMap(SoakCall::all).filter(SoakCall::wasDropped).toList();
      dropped.forEach(each -> count("excused: a response was dropped as the client was closed"));
      return dropped.size();
    }

    private void assertIdle() {
      assertNoLeases(0);
      if (!Bounds.holds(Bounds.RELEASE, () -> client.describe().endsWith(IDLE))) {
        wrong.add("says of its calls, in round " + index + ": " + client.describe());
      }
      if (!Bounds.holds(Bounds.PROMPT, () -> allowed.timers() == 0)) { // one may have its second
        wrong.add("timers of calls that have ended: " + allowed.timers() + ", in round " + index);
      }
      for (SoakCall each : made) {
        if (!Bounds.holds(Bounds.PROMPT, () -> !isForgotten(each))) {
          wrong(each, "has ended, and the server does not know", null);
        }
      }
      if (few) {
        Bounds.holds(
            Bounds.LONG,
            () -> {
              System.gc();
              return kept() <= KEPT;
            });
        if (kept() > KEPT) {
          wrong.add(kept() + " bodies of calls that have ended are kept, in round " + index);
        }
      }
    }

    private boolean isForgotten(SoakCall call) {
      server.readOn();
      call.readOn();
      return call.isForgottenByItsClient();
    }

    private void readOn() {
      server.readOn();
      made.forEach(SoakCall::readOn);
    }

    private long kept() {
      return made.stream().filter(SoakCall::isBodyKept).count();
    }

    private void close() {
      closed = true;
      Caller<@Nullable Void> closer =
          new Caller<>(
              Thread.ofPlatform(), // a client's close may wait as it likes
              () -> {
                client.close();
                return null;
              });
      closer.start().result(Bounds.LONG);
      shutAt = System.nanoTime();
      shut = true;
    }
  }
}
