package io.heddle.pinning;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A recording of everything in this JVM that holds a virtual thread on its carrier while it waits,
 * from {@link #start} to {@link #stop}.
 *
 * <pre>{@code
 * RECORDING ──stop──▶ STOPPED   the report, or that the recorder is blind; again and again
 *     │ └────soFar──▶ RECORDING what there is until now
 *     └──────close──▶ CLOSED    no report: stop and soFar are errors from here on
 *                               close of a stopped recorder does nothing
 * }</pre>
 *
 * <p>What is recorded are the {@code jdk.VirtualThreadPinned} events of JDK Flight Recorder,
 * without a threshold. Before JDK 24 a virtual thread that waits to enter {@code synchronized}, or
 * in {@link Object#wait()}, holds its carrier without that event: there, {@code
 * jdk.JavaMonitorEnter} and {@code jdk.JavaMonitorWait} of virtual threads are recorded too, and
 * {@link PinnedEvent#blockingOperation} tells them. The JVM writes an event when a wait
 * <i>ends</i>. Every wait that ended before the call of {@link #stop} is in the report; what ends
 * later is not, so stop after the threads that are of interest are done. A wait that began before
 * the start and ends during the recording is in it.
 *
 * <h2>That it sees</h2>
 *
 * An empty report is worth something only if a pin would have shown. So each recording begins and
 * ends with a <i>positive control</i>: a wait that is pinned on purpose, one for each kind of
 * event, on a virtual thread of the recorder's own. The report must hold both, and they are then
 * taken out of it; without them {@link #stop} fails.
 *
 * <h2>What it cannot see</h2>
 *
 * <ul>
 *   <li>Before JDK 24, a virtual thread that waits until another thread has initialised a class. It
 *       holds its carrier without any event. From JDK 24 on there is one.
 *   <li>A native call that blocks, such as the look-up of a host name or a read from a file, is no
 *       pin to the JVM. It may add a carrier for the time being: see {@link
 *       PinningReport#carriersGrew}.
 *   <li>Frames beyond the JVM's stack depth, the 64 nearest to the wait unless {@code
 *       -XX:FlightRecorderOptions:stackdepth=256} says otherwise. That is one figure for the whole
 *       JVM, which JFR reads once, when it starts; until then {@code jcmd <pid> JFR.configure
 *       stackdepth=256} may change it too, or {@code jfrConfigure} of the MBean {@code
 *       com.sun.management:type=DiagnosticCommand}. The recorder leaves it alone. It fails if the
 *       depth is too small to recognise its control.
 *   <li>On JDK 21, in a few cases of 100,000, an event that is written at the very moment at which
 *       another recording starts or stops: JFR changes files then.
 * </ul>
 *
 * <h2>Several at a time</h2>
 *
 * JFR knows one JVM, not one test: a report holds what <i>any</i> thread did. Recorders may
 * overlap, also with other recordings; each sees what happened in its own time, and no recorder
 * sees the controls of another.
 *
 * <p>A recording costs little enough for every test: 10 to 20 ms in all on a small machine, but
 * about 0.5 s for the first in a JVM, with which JFR starts. Any thread may call, virtual or
 * platform. What the recorder does itself, it does on threads of its own; so an interrupt of the
 * caller does not disturb it and its flag is kept, and a caller that is pinned while it starts a
 * recorder is not part of the report.
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
   * @throws IllegalStateException if this JVM has no JDK Flight Recorder, or if no carrier came
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
   * Records a body that is warm: runs it so many times before, then once more while recording.
   *
   * <p>Warm matters. The first use of a class runs its initializer, or waits for another thread
   * that does, and the loading of classes calls from the JVM into Java: these pin on every JDK,
   * once.
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
   * What is recorded.
   *
   * @param <X> what it may throw
   */
  @FunctionalInterface
  public interface Body<X extends Throwable> {
    /** Runs it once. */
    void run() throws X;
  }

  /**
   * Ends the recording. A further call has the outcome of the first.
   *
   * @throws IllegalStateException if the recorder is blind, so that there is nothing to report; or
   *     if it was closed before
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

  /** Ends the recording without a report, if it still runs. */
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
   * What was recorded until now; the recording goes on. A further call has all of it again, and
   * what came since.
   *
   * @throws IllegalStateException as {@link #stop} does; the recording goes on then too
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
