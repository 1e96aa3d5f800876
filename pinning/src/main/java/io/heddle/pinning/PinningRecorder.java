package io.heddle.pinning;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Records everything in this JVM that holds a virtual thread on its carrier while it waits, from
 * {@link #start} to {@link #stop}.
 *
 * <pre>{@code
 * RECORDING ──stop──▶ STOPPED   the report, or that the recorder is blind; again and again
 *     │ └────soFar──▶ RECORDING what there is until now
 *     └──────close──▶ CLOSED    no report: stop and soFar are errors from here on
 *                               close of a stopped recorder does nothing
 * }</pre>
 *
 * <p>It records the {@code jdk.VirtualThreadPinned} events of JDK Flight Recorder, without a
 * threshold. Before JDK 24 a virtual thread that waits to enter {@code synchronized}, or in {@link
 * Object#wait()}, holds its carrier without that event; there, the recorder also records {@code
 * jdk.JavaMonitorEnter} and {@code jdk.JavaMonitorWait} of virtual threads, and {@link
 * PinnedEvent#blockingOperation} names them.
 *
 * <p>The JVM writes an event when a wait <i>ends</i>. The report contains every wait that ended
 * during the recording, even if it began before. It does not contain waits that end after the call
 * of {@link #stop}, so stop after the threads under test are done.
 *
 * <h2>Self-check</h2>
 *
 * An empty report proves something only if the recorder would have seen a pin. Each recording
 * therefore begins and ends with a <i>positive control</i>: a wait that pins on purpose, one for
 * each kind of event, on a virtual thread of the recorder's own. The recorder removes both from the
 * report. If it does not find them, {@link #stop} fails.
 *
 * <h2>What it cannot see</h2>
 *
 * <ul>
 *   <li>Before JDK 24, a virtual thread that waits for another thread to initialize a class. It
 *       holds its carrier without any event.
 *   <li>A blocking native call, such as a DNS lookup or a file read. The JVM does not treat it as a
 *       pin, but may add a carrier meanwhile: see {@link PinningReport#carriersGrew}.
 *   <li>Frames beyond the JVM's stack depth: the 64 nearest to the wait, unless {@code
 *       -XX:FlightRecorderOptions:stackdepth=256} says otherwise. JFR reads this setting once, when
 *       it starts in the JVM. Until then, {@code jcmd <pid> JFR.configure stackdepth=256} can
 *       change it too, or {@code jfrConfigure} of the MBean {@code
 *       com.sun.management:type=DiagnosticCommand}. The recorder does not change it. It fails if
 *       the depth is too small to recognise its control.
 *   <li>On JDK 21, in a few cases of 100,000, an event that is written at the very moment at which
 *       another recording starts or stops, because JFR changes files then.
 * </ul>
 *
 * <h2>Several recorders</h2>
 *
 * A report contains what <i>any</i> thread of the JVM did, not only one test. Recorders may
 * overlap, also with other recordings. Each sees what happened in its own time, and none sees
 * another's controls.
 *
 * <p>A recording costs 10 to 20 ms on a small machine; the first in a JVM costs about 0.5 s,
 * because JFR starts. Any thread may use a recorder, virtual or platform. The recorder works on its
 * own threads: an interrupt of the caller does not disturb it, and the flag is kept; a caller that
 * is itself pinned while it starts a recorder is not part of the report.
 */
public final class PinningRecorder implements AutoCloseable {

  /** How long a control waits for a carrier: far longer than a busy machine needs. */
  private static final Duration CONTROL_LIMIT = Duration.ofSeconds(30);

  private final PositiveControl control;
  private final JfrRecording recording;
  private final Set<Long> carriersBefore;
  private final long startNanos = System.nanoTime();

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock; at most one of the three is set.
  private @Nullable PinningReport report;
  private @Nullable RuntimeException failure;
  private boolean closed;

  private PinningRecorder(
      PositiveControl control, JfrRecording recording, Set<Long> carriersBefore) {
    this.control = control;
    this.recording = recording;
    this.carriersBefore = carriersBefore;
  }

  /**
   * Starts a recorder.
   *
   * @throws IllegalStateException if this JVM has no JDK Flight Recorder, or if no carrier became
   *     free for the control within 30 s
   */
  public static PinningRecorder start() {
    return start(CONTROL_LIMIT);
  }

  static PinningRecorder start(Duration controlLimit) {
    try {
      return Apart.call(() -> startHere(controlLimit));
    } catch (NoClassDefFoundError e) {
      throw new IllegalStateException(
          "pinning is recorded by JDK Flight Recorder, which this JVM does not have"
              + " (module jdk.jfr): "
              + e,
          e);
    }
  }

  private static PinningRecorder startHere(Duration controlLimit) throws InterruptedException {
    PositiveControl control = new PositiveControl(controlLimit); // loads what must not be recorded
    JfrRecording recording = JfrRecording.start();
    try {
      Set<Long> carriersBefore = Carriers.alive();
      control.park();
      return new PinningRecorder(control, recording, carriersBefore);
    } catch (Throwable t) {
      recording.close();
      throw t;
    }
  }

  /**
   * Runs a body several times to warm it up, then once more while recording.
   *
   * <p>The first use of a class runs its initializer, or waits for another thread that does, and
   * class loading calls from the JVM into Java. These pin on every JDK, once.
   *
   * @param warmUps how many times to run the body before the recording; 0 for none
   * @throws X what the body throws, in a warm-up or in the recording; there is no report then
   * @throws IllegalArgumentException if {@code warmUps} is negative
   * @throws IllegalStateException as {@link #start} and {@link #stop} do
   */
  public static <X extends Throwable> PinningReport record(int warmUps, Body<X> body) throws X {
    if (warmUps < 0) {
      throw new IllegalArgumentException("warmUps must not be negative: " + warmUps);
    }
    for (int i = 0; i < warmUps; i++) {
      body.run();
    }
    try (PinningRecorder recorder = start()) {
      body.run();
      return recorder.stop();
    }
  }

  /**
   * The code to record.
   *
   * @param <X> what it may throw
   */
  @FunctionalInterface
  public interface Body<X extends Throwable> {
    /** Runs it once. */
    void run() throws X;
  }

  /**
   * Ends the recording and returns the report. Further calls return the same report, or fail the
   * same way.
   *
   * @throws IllegalStateException if the self-check failed, so that there is nothing to report; or
   *     if the recorder was closed before
   */
  public PinningReport stop() {
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("the recorder was closed before it was stopped");
      }
      if (failure != null) {
        throw failure;
      }
      if (report == null) {
        report = stopOnce();
      }
      return report;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the recording without a report, if it is still running. */
  @Override
  public void close() {
    lock.lock();
    try {
      if (report == null && failure == null && !closed) {
        closed = true;
        recording.close();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns what was recorded so far, and continues. Further calls return all of that again, and
   * what was added.
   *
   * @throws IllegalStateException as {@link #stop} does; the recording continues then too
   */
  public PinningReport soFar() {
    lock.lock();
    try {
      if (report != null || failure != null || closed) {
        return stop();
      }
      return report(
          () -> {
            control.park();
            return recording.soFar();
          });
    } finally {
      lock.unlock();
    }
  }

  private PinningReport stopOnce() {
    try {
      return report(
          () -> {
            try (recording) {
              control.park();
              return recording.stop();
            }
          });
    } catch (RuntimeException e) {
      failure = e;
      throw e;
    }
  }

  private PinningReport report(Callable<JfrRecording.Recorded> reading) {
    Duration duration = Duration.ofNanos(System.nanoTime() - startNanos);
    JfrRecording.Recorded recorded = Apart.call(reading);
    control.verifySeenIn(recorded);
    Carriers.Count carriers = Carriers.count(carriersBefore, recorded.carrierChanges());
    return new PinningReport(
        recorded.pins().stream()
            .filter(pin -> !PositiveControl.isOwn(pin))
            .map(JfrRecording.Pin::event)
            .toList(),
        List.of(),
        carriers.atStart(),
        carriers.peak(),
        Carriers.parallelism(),
        duration);
  }
}
