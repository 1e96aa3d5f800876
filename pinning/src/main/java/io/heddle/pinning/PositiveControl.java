package io.heddle.pinning;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Proof that a recording sees pins: parks that are pinned on purpose, on virtual threads of its
 * own.
 *
 * <p>They park in a class initializer, which pins on every JDK that has virtual threads; {@code
 * synchronized} does so before JDK 24 only. There, each control waits on a monitor for a
 * millisecond as well, since that comes by an event of its own. An initializer runs once, so each
 * park defines a fresh hidden class, which goes with the next garbage collection.
 *
 * <p>Any recorder's control is known by its frames, which are this class's; one's own by the id of
 * its thread.
 */
final class PositiveControl {

  @SuppressWarnings("WaitNotInLoop") // that it waits is all that it is for
  private static final class Pin {
    static {
      LockSupport.parkNanos(1);
      if (PinnedEvent.MONITORS_HOLD_CARRIERS) {
        Object monitor = new Object();
        synchronized (monitor) {
          try {
            monitor.wait(1);
          } catch (InterruptedException e) {
            throw new IllegalStateException(e); // nobody knows this thread
          }
        }
      }
    }
  }

  private static final byte[] PIN = bytesOf(Pin.class);

  /** How many pins a control leaves. */
  private static final int PINS = PinnedEvent.MONITORS_HOLD_CARRIERS ? 2 : 1;

  private final Duration limit;
  private final List<Long> threads = new ArrayList<>(2);

  /** A control; {@code limit} is how long each of its parks may wait for a carrier. */
  PositiveControl(Duration limit) {
    this.limit = limit;
  }

  /**
   * Parks a fresh virtual thread, pinned, and waits for its end.
   *
   * @throws IllegalStateException if that thread did not come to run within the limit
   */
  void park() throws InterruptedException {
    FutureTask<?> park = new FutureTask<>(PositiveControl::parkPinned, null);
    Thread thread =
        Thread.ofVirtual()
            .name("heddle-pinning-control")
            .inheritInheritableThreadLocals(false)
            .start(park);
    threads.add(thread.threadId());
    try {
      park.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException(
          "recorder is blind: no carrier came free for its control within "
              + limit.toMillis()
              + " ms; virtual threads hold them all, pinned in waits that have not ended, or busy",
          e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("recorder is blind: its control failed", e.getCause());
    }
  }

  /**
   * Looks for every control so far in what was recorded.
   *
   * @throws IllegalStateException if a wait of one is missing
   */
  void verifySeenIn(JfrRecording.Recorded recorded) {
    List<Long> seen = recorded.pins().stream().map(JfrRecording.Pin::threadId).toList();
    List<Long> recognised =
        recorded.pins().stream()
            .filter(PositiveControl::isOwn)
            .map(JfrRecording.Pin::threadId)
            .toList();
    for (int i = 0; i < threads.size(); i++) {
      if (Collections.frequency(recognised, threads.get(i)) < PINS) {
        throw new IllegalStateException(
            "recorder is blind: JFR did not show the park that was pinned on purpose at the "
                + (i == 0 ? "start" : i == threads.size() - 1 ? "end" : "middle")
                + " of the recording"
                + why(recorded, Collections.frequency(seen, threads.get(i)) >= PINS));
      }
    }
  }

  private static String why(JfrRecording.Recorded recorded, boolean seen) {
    if (seen) {
      return " with the frames that tell it from others: the JVM's stack depth is too small"
          + " (-XX:FlightRecorderOptions:stackdepth)";
    }
    if (recorded.endedByOthers()) {
      return ": somebody else had ended that recording";
    }
    return "";
  }

  /** Whether a pin is none of the measured program's, but of a recorder: of this one or another. */
  static boolean isOwn(JfrRecording.Pin pin) {
    return pin.event().frames().stream()
        .anyMatch(
            frame ->
                frame.startsWith(PositiveControl.class.getName())
                    || frame.startsWith(Apart.class.getName()));
  }

  private static void parkPinned() {
    try {
      MethodHandles.lookup().defineHiddenClass(PIN, true);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] bytesOf(Class<?> type) {
    String name = type.getName();
    try (InputStream in =
        type.getResourceAsStream(name.substring(name.lastIndexOf('.') + 1) + ".class")) {
      if (in == null) {
        throw new IllegalStateException("recorder is blind: " + name + ".class is not to be found");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
