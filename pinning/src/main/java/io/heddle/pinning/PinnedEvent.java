package io.heddle.pinning;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One wait in which a virtual thread held its carrier.
 *
 * <p>A frame reads as in a stack trace, {@code com.example.Orders.fetch(Orders.java:31)}, preceded
 * by {@code synchronized} if the method is declared so. JFR does not record the file name; it is
 * derived from the class name. Frames that the JVM hides from stack traces are included.
 *
 * @param duration how long the wait took
 * @param thread the name of the virtual thread, or {@code #} and its id if it has none
 * @param carrier the name of the thread that was held; null before JDK 24
 * @param reason why the thread could not leave its carrier, in the JVM's words; null before JDK 24
 * @param blockingOperation what the thread waited in, in the JVM's words. Before JDK 24 it is null
 *     for a park, and {@value #IN_MONITOR_ENTER} or {@value #IN_MONITOR_WAIT} for a monitor, the
 *     words of later JDKs
 * @param frames the stack, from the wait outwards; ends with {@code "..."} if it was cut at the
 *     JVM's stack depth; empty if JFR had none
 */
public record PinnedEvent(
    Duration duration,
    String thread,
    @Nullable String carrier,
    @Nullable String reason,
    @Nullable String blockingOperation,
    List<String> frames) {

  /**
   * Whether a virtual thread that waits for a monitor holds its carrier, here: before JDK 24. It
   * does so without a {@code jdk.VirtualThreadPinned} event.
   */
  static final boolean MONITORS_HOLD_CARRIERS = Runtime.version().feature() < 24;

  /** A wait to enter {@code synchronized}. */
  static final String IN_MONITOR_ENTER = "Contended monitor enter";

  /** A wait in {@link Object#wait()}. */
  static final String IN_MONITOR_WAIT = "Object.wait";

  static final String CUT = "...";

  /** Where a search ends without a frame. */
  private static final int NONE = -1;

  /** Keeps a copy of the frames. */
  public PinnedEvent {
    frames = List.copyOf(frames);
  }

  /**
   * Returns the frame that pinned: of the frames that prevent a thread from leaving its carrier,
   * the nearest to the wait.
   *
   * <p>These are native frames, class initializers and calls from the JVM into Java. Before JDK 24
   * they also include methods that are declared {@code synchronized}, and for a wait on a monitor
   * the frame that enters or waits comes first. The stack identifies all of these, so {@link
   * #culpritIsCertain} is true, although frames farther out may pin as well. A {@code synchronized}
   * block cannot be identified, because JFR records no monitors. There, and if nothing else is
   * known, the result is the nearest frame outside the JDK. On JDK 21 the system property {@code
   * jdk.tracePinnedThreads=full} makes the JDK print the monitors that each frame holds.
   */
  public String culprit() {
    int at = culpritIndex();
    return at == NONE ? "a frame that is not in the record" : frames.get(at);
  }

  /** Returns whether {@link #culprit} is known to pin, rather than the best guess. */
  public boolean culpritIsCertain() {
    return certainIndex() != NONE;
  }

  /**
   * Returns the nearest frame outside the JDK that called the {@link #culprit}; null if there is
   * none.
   */
  public @Nullable String caller() {
    int at = nextOutsideJdk(culpritIndex() + 1);
    return at == NONE ? null : frames.get(at);
  }

  /** Whether it was a wait to enter a monitor that was the pin itself: before JDK 24. */
  boolean isContention() {
    return monitorsPin() && IN_MONITOR_ENTER.equals(blockingOperation);
  }

  private int culpritIndex() {
    int at = certainIndex();
    if (at == NONE) {
      at = classLoadingIndex();
    }
    if (at == NONE) {
      at = nextOutsideJdk(0);
    }
    return at == NONE && !frames.isEmpty() ? 0 : at;
  }

  private int certainIndex() {
    if (reason != null && reason.startsWith("Waited for initialization of ")) {
      return frames.isEmpty() ? NONE : 0; // the frame that used the class
    }
    if (monitorsPin() && blockingOperation != null) { // the wait itself holds the carrier
      return firstOutsideObject();
    }
    for (int i = 0; i < frames.size(); i++) {
      String frame = frames.get(i);
      if (isNative(frame)
          || frame.contains(".<clinit>(")
          || frame.startsWith("java.lang.invoke.MethodHandleNatives.link")
          || frame.startsWith("jdk.internal.foreign.abi.UpcallStub")
          || (monitorsPin() && frame.startsWith("synchronized "))) {
        return i;
      }
    }
    return NONE;
  }

  private int firstOutsideObject() {
    for (int i = 0; i < frames.size(); i++) {
      if (!frames.get(i).startsWith("java.lang.Object.")) {
        return i;
      }
    }
    return NONE;
  }

  /** Native methods, without those of waiting itself and without the foot of a virtual stack. */
  private static boolean isNative(String frame) {
    return frame.endsWith("(Native Method)")
        && !frame.startsWith("java.lang.VirtualThread.")
        && !frame.startsWith("java.lang.Object.wait")
        && !frame.startsWith("jdk.internal.vm.Continuation.");
  }

  /** The JVM says why from JDK 24 on, which is also when monitors ceased to pin. */
  private boolean monitorsPin() {
    return reason == null;
  }

  /** Where the JVM, it seems, called a class loader: its caller is no class loader itself. */
  private int classLoadingIndex() {
    for (int i = 0; i + 1 < frames.size(); i++) {
      if (frames.get(i).contains(".loadClass(") && !frames.get(i + 1).contains(".loadClass(")) {
        return i;
      }
    }
    return NONE;
  }

  private int nextOutsideJdk(int from) {
    for (int i = from; i < frames.size(); i++) {
      if (!isOfJdk(frames.get(i))) {
        return i;
      }
    }
    return NONE;
  }

  /** Whether a frame is the JDK's, or one that the JDK generated. */
  private static boolean isOfJdk(String frame) {
    String method = frame.startsWith("synchronized ") ? frame.substring(13) : frame;
    return method.startsWith("java.")
        || method.startsWith("javax.")
        || method.startsWith("jdk.")
        || method.startsWith("sun.")
        || method.startsWith("com.sun.")
        || method.contains("$$Lambda")
        || method.equals(CUT);
  }

  /**
   * The frames that help a reader: without the JDK's own way to park, to call and to start the
   * thread.
   */
  List<String> framesToRead() {
    return frames.stream()
        .filter(
            frame ->
                !frame.startsWith("java.lang.VirtualThread")
                    && !frame.startsWith("java.lang.System$")
                    && !frame.startsWith("java.lang.Thread.runWith(")
                    && !frame.startsWith("java.lang.invoke.LambdaForm$")
                    && !frame.contains("$$Lambda")
                    && !frame.startsWith("jdk.internal.misc.VirtualThreads.")
                    && !frame.startsWith("jdk.internal.vm.Continuation."))
        .toList();
  }
}
