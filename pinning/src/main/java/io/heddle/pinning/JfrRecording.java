package io.heddle.pinning;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;

/**
 * A recording of JDK Flight Recorder, written to a file and read back; the only class that knows
 * JFR.
 *
 * <p>Its guarantee is that of {@link Recording#stop}: the JVM stops at a safepoint and writes what
 * all threads have in their buffers, so every event that was written before the call is in the
 * file. A start opens a new file in the same way, so nothing from before is in it.
 *
 * <p>{@code RecordingStream.stop()} gives as much, by way of one more thread and of callbacks. Both
 * lost none of 15,000 pins in 30 recordings, on JDK 21 and 25, alone and beside a detailed
 * recording of somebody else. With few events both take about 10 ms once warm, most of it to read
 * the 100 KiB of JFR's own type descriptions; beside the other recording the file took half the
 * stream's time.
 */
final class JfrRecording implements AutoCloseable {

  private static final String PINNED = "jdk.VirtualThreadPinned";
  private static final String MONITOR_ENTER = "jdk.JavaMonitorEnter";
  private static final String MONITOR_WAIT = "jdk.JavaMonitorWait";
  private static final String THREAD_START = "jdk.ThreadStart";
  private static final String THREAD_END = "jdk.ThreadEnd";

  /** Which a recording has unless it says otherwise; to load their classes may hold a carrier. */
  private static final List<String> HEDDLE =
      List.of("io.heddle.Call", "io.heddle.PlaceWait", "io.heddle.LateResult");

  /** A pin, and the id of the virtual thread. */
  record Pin(PinnedEvent event, long threadId) {}

  /** What was recorded. */
  record Recorded(List<Pin> pins, List<Carriers.Change> carrierChanges, boolean endedByOthers) {}

  private final Recording recording;

  private JfrRecording(Recording recording) {
    this.recording = recording;
  }

  static JfrRecording start() {
    if (!FlightRecorder.isAvailable()) {
      throw new IllegalStateException(
          "pinning is recorded by JDK Flight Recorder, which is switched off in this JVM");
    }
    Recording recording = new Recording();
    try {
      recording.setName("heddle-pinning");
      recording.enable(PINNED).withThreshold(Duration.ZERO).withStackTrace();
      if (PinnedEvent.MONITORS_HOLD_CARRIERS) {
        recording.enable(MONITOR_ENTER).withThreshold(Duration.ZERO).withStackTrace();
        recording.enable(MONITOR_WAIT).withThreshold(Duration.ZERO).withStackTrace();
      }
      recording.enable(THREAD_START).withoutStackTrace();
      recording.enable(THREAD_END);
      HEDDLE.forEach(recording::disable);
      recording.start();
      return new JfrRecording(recording);
    } catch (Throwable t) {
      recording.close();
      throw t;
    }
  }

  /** Ends the recording and reads it. */
  Recorded stop() throws IOException {
    boolean endedByOthers = recording.getState() != RecordingState.RUNNING;
    if (!endedByOthers) {
      recording.stop();
    }
    return read(endedByOthers);
  }

  /**
   * Reads what there is so far, with the guarantee of {@link #stop}: JFR copies a recording that
   * runs, and stops the copy.
   */
  Recorded soFar() throws IOException {
    return read(recording.getState() != RecordingState.RUNNING);
  }

  private Recorded read(boolean endedByOthers) throws IOException {
    List<Pin> pins = new ArrayList<>();
    List<Carriers.Change> carrierChanges = new ArrayList<>();
    if (recording.getState() != RecordingState.CLOSED) {
      Path file =
          Files.createTempFile("heddle-pinning-" + ProcessHandle.current().pid() + "-", ".jfr");
      try {
        recording.dump(file);
        read(file, pins, carrierChanges);
      } finally {
        Files.delete(file);
      }
    }
    return new Recorded(pins, carrierChanges, endedByOthers);
  }

  /** Ends the recording, if it still runs, and drops what it holds. */
  @Override
  public void close() {
    recording.close();
  }

  private static void read(Path file, List<Pin> pins, List<Carriers.Change> carrierChanges)
      throws IOException {
    try (RecordingFile events = new RecordingFile(file)) {
      while (events.hasMoreEvents()) {
        RecordedEvent event = events.readEvent();
        String type = event.getEventType().getName();
        if (type.equals(PINNED)) {
          String operation =
              event.hasField("blockingOperation") ? event.getString("blockingOperation") : null;
          pins.add(pin(event, operation));
        } else if (type.equals(MONITOR_ENTER) || type.equals(MONITOR_WAIT)) {
          if (isVirtual(event.getThread()) && PinnedEvent.MONITORS_HOLD_CARRIERS) {
            pins.add(
                pin(
                    event,
                    type.equals(MONITOR_ENTER)
                        ? PinnedEvent.IN_MONITOR_ENTER
                        : PinnedEvent.IN_MONITOR_WAIT));
          }
        } else if (type.equals(THREAD_START) || type.equals(THREAD_END)) {
          RecordedThread thread = event.getThread("thread");
          if (isCarrier(thread)) {
            carrierChanges.add(
                new Carriers.Change(
                    event.getStartTime(), thread.getJavaThreadId(), type.equals(THREAD_START)));
          }
        }
      }
    }
  }

  private static boolean isVirtual(@Nullable RecordedThread thread) {
    return thread != null && thread.isVirtual();
  }

  /** As {@link Carriers#alive} has it; JFR knows a thread's name and group, but not its class. */
  private static boolean isCarrier(@Nullable RecordedThread thread) {
    return thread != null
        && thread.getThreadGroup() != null
        && "CarrierThreads".equals(thread.getThreadGroup().getName())
        && thread.getJavaName() != null
        && thread.getJavaName().contains("-worker-");
  }

  private static Pin pin(RecordedEvent event, @Nullable String blockingOperation) {
    RecordedThread thread = event.getThread();
    String name = thread.getJavaName();
    RecordedThread carrier =
        event.hasField("carrierThread") ? event.getThread("carrierThread") : null;
    return new Pin(
        new PinnedEvent(
            event.getDuration(),
            name == null || name.isEmpty() ? "#" + thread.getJavaThreadId() : name,
            carrier == null ? null : carrier.getJavaName(),
            event.hasField("pinnedReason") ? event.getString("pinnedReason") : null,
            blockingOperation,
            frames(event.getStackTrace())),
        thread.getJavaThreadId());
  }

  private static List<String> frames(@Nullable RecordedStackTrace stack) {
    List<String> frames = new ArrayList<>();
    if (stack != null) {
      for (RecordedFrame frame : stack.getFrames()) {
        frames.add(text(frame));
      }
      if (stack.isTruncated()) {
        frames.add(PinnedEvent.CUT);
      }
    }
    return frames;
  }

  private static String text(RecordedFrame frame) {
    RecordedMethod method = frame.getMethod();
    String type = method.getType().getName();
    String place = "Unknown Source";
    if (Modifier.isNative(method.getModifiers())) {
      place = "Native Method";
    } else if (frame.getLineNumber() >= 0) {
      place = fileOf(type) + ":" + frame.getLineNumber();
    }
    return (Modifier.isSynchronized(method.getModifiers()) ? "synchronized " : "")
        + type
        + "."
        + method.getName()
        + "("
        + place
        + ")";
  }

  /** JFR does not record the file: this is the usual one, good for a link in a development tool. */
  private static String fileOf(String type) {
    int nested = type.indexOf('$');
    String outer = nested > 0 ? type.substring(0, nested) : type;
    return outer.substring(outer.lastIndexOf('.') + 1) + ".java";
  }
}
