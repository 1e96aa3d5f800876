package io.heddle.conformance;

import io.heddle.pinning.PinningReport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.logging.LogRecord;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * A {@link Soak} of one adapter on each of its wires. An adapter whose soak holds has a class
 * {@code <Lib>SoakTest}, which each build runs; one that has defects that are known has a class
 * {@code <Lib>Soak}, which is run by its name until they are mended.
 */
public abstract class SoakSuite {

  /** The property that names the one wire to run on; all, if it is not told. */
  static final String WIRE = "heddle.soak.wire";

  private final ClientDriver driver;
  private final List<Wire> wires;

  protected SoakSuite(ClientDriver driver, Wire... wires) {
    this.driver = driver;
    this.wires = List.of(wires);
  }

  /** Whether the library says that it sends a POST of bytes again when its connection broke. */
  protected boolean mayPostAgain() {
    return false;
  }

  /**
   * Whether this is how the library tells that it has ended a connection that others shared, of its
   * own accord, as it is known to do: then the calls on that connection are excused.
   */
  protected boolean mayEndConnection(Wire wire, Throwable failure) {
    return false;
  }

  /**
   * Whether the library takes a response that declares a length of 0 for over before the server
   * does, and may close its connection then: what comes beyond the length is not always seen.
   */
  protected boolean mayMissSurplus() {
    return false;
  }

  /**
   * Whether this is how the library tells that the server refused a request, and that it could not
   * send it again, where it is known not to: excuses a request over HTTP/2 of which the server has
   * taken nothing.
   *
   * @param post whether the request has a body
   * @param redirected whether it is the target of a redirect that was refused
   */
  protected boolean mayNotGoAgain(Throwable failure, boolean post, boolean redirected) {
    return false;
  }

  /**
   * Whether this is how the library tells that it has sent a request again by itself, which cannot
   * be: excuses a request over HTTP/2 where the server has ended a connection, or told one to take
   * less.
   */
  protected boolean isOfSecondAttempt(Throwable failure) {
    return false;
  }

  /**
   * Whether the library may send a request on a connection of which the server has said that it
   * takes no more, and wait there for as long as the connection lives: excuses a call over HTTP/2
   * that does, once the server has ended that connection.
   */
  protected boolean mayMissGoAway() {
    return false;
  }

  /** Whether the events of calls are known to say of each whether it has succeeded. */
  protected boolean tellsEnds(Wire wire) {
    return true;
  }

  /**
   * How many requests of a round, of HTTP/1.1, may go again for no reason that the server knows of,
   * as the library is known to close, at times, the connection of another call than it should.
   */
  protected int mayLose() {
    return 0;
  }

  /**
   * Whether calls over HTTP/2 share one connection, however many the client may have: while the
   * server allows few streams, callers who make calls within calls would wait for each other.
   */
  protected boolean hasOneConnection() {
    return false;
  }

  /**
   * Whether this is how the library tells of an interrupt that came while it made ready for the
   * call, where it is known to lose the interrupt flag: excuses a call that was interrupted, and of
   * which the server has seen nothing.
   */
  protected boolean mayLoseInterrupt(Throwable failure) {
    return false;
  }

  /**
   * Whether the adapter is known to take an interrupt that comes with the deadline for its own:
   * then the caller gets the deadline's failure, and no flag.
   */
  protected boolean mayTakeInterruptForItsOwn() {
    return false;
  }

  /**
   * Whether the library is known to send what the server takes for no request, where connections
   * are ended as they are opened.
   *
   * @param told what the server says of it, or the failure of a call of which it has seen nothing
   */
  protected boolean mayBreakProtocol(String told) {
    return false;
  }

  /**
   * For how long after the server has ended a connection the library may still take it for one that
   * lives: where the server has seen nothing of a call, that may be why.
   */
  protected Duration mayBeStale() {
    return Bounds.RELEASE;
  }

  /**
   * Whether this is how the library tells that its client was closed as a response came, which it
   * then drops: the response's lease is left.
   */
  protected boolean mayDropResponse(Throwable failure) {
    return false;
  }

  /**
   * How many timers the adapter keeps for calls that are under way, but for those of core, of all
   * its clients.
   */
  protected int timers() {
    return 0;
  }

  /** Whether this may be logged as an error, as the library, or what it stands on, is known to. */
  protected boolean mayLog(LogRecord logged) {
    return false;
  }

  /**
   * What is known of a failure that the driver takes for the right one, and would not if the
   * library told what was the matter: counts it. Null if that needs no excuse.
   */
  protected @Nullable String known(Throwable failure) {
    return null;
  }

  /** What has pinned in a round, but for what the library itself is known to do. */
  protected PinningReport withoutKnownPins(Wire wire, PinningReport pins) {
    return pins;
  }

  /** Whether Netty tells of event loops that were shut down before what was to run on them. */
  protected static boolean isOfClosedLoops(LogRecord logged) {
    return "io.netty.util.concurrent.DefaultPromise.rejectedExecution"
            .equals(logged.getLoggerName())
        && "Failed to submit a listener notification task. Event loop shut down?"
            .equals(logged.getMessage())
        && logged.getThrown() instanceof RejectedExecutionException;
  }

  @TestFactory
  Stream<DynamicTest> soak() {
    String only = System.getProperty(WIRE);
    return wires.stream()
        .filter(wire -> only == null || only.equals(wire.name()))
        .map(wire -> DynamicTest.dynamicTest(wire.name(), () -> run(wire)));
  }

  /** Runs a soak, with a server of its own; all that it took must be back at the end. */
  void run(Wire wire) throws Exception {
    new Caller<>(Thread.ofVirtual(), RuleExtension.Shared::readFromSocket)
        .start()
        .result(Bounds.LONG);
    try (FaultServer server = FaultServer.start(wire);
        OtherJvm none = new OtherJvm(driver, wire)) {
      Kit warmUp = new Kit(driver, wire, server, none);
      warmUp.assertWorks(warmUp.open());
      warmUp.end(null);
      Kit kit = new Kit(driver, wire, server, none);
      @Nullable Throwable broken = null;
      try {
        new Soak(kit, this).run();
      } catch (Exception | Error e) {
        broken = e;
        throw e;
      } finally {
        kit.end(broken);
      }
    }
  }
}
