package io.heddle.conformance;

import java.util.List;
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
  protected boolean mayEndConnection(Throwable failure) {
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

  /** Whether a logger of this name may log an error, with what was thrown, if that was said. */
  protected boolean mayLog(String logger, @Nullable Throwable thrown) {
    return false;
  }

  @TestFactory
  Stream<DynamicTest> soak() {
    return wires.stream()
        .map(
            wire ->
                DynamicTest.dynamicTest(
                    wire.name(),
                    () ->
                        run(
                            driver,
                            wire,
                            new Soak.Allowed(
                                mayPostAgain(),
                                mayMissSurplus(),
                                this::mayLog,
                                this::mayEndConnection,
                                this::mayNotGoAgain,
                                mayLose(),
                                hasOneConnection(),
                                this::mayLoseInterrupt))));
  }

  /** Runs a soak, with a server of its own; all that it took must be back at the end. */
  static void run(ClientDriver driver, Wire wire, Soak.Allowed allowed) throws Exception {
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
        new Soak(kit, allowed).run();
      } catch (Exception | Error e) {
        broken = e;
        throw e;
      } finally {
        kit.end(broken);
      }
    }
  }
}
