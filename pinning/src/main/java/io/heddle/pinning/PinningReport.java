package io.heddle.pinning;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link PinningRecorder} recorded.
 *
 * @param events the pins, in no particular order
 * @param ignored what {@link #ignoring} removed, one line per rule
 * @param carriersAtStart the number of carrier threads when the recording started
 * @param peakCarriers the highest number of carrier threads during the recording
 * @param parallelism the scheduler's parallelism when the recording stopped
 * @param duration how long the recording took
 */
public record PinningReport(
    List<PinnedEvent> events,
    List<String> ignored,
    int carriersAtStart,
    int peakCarriers,
    int parallelism,
    Duration duration) {

  /** How many places {@link #describe} shows in full. */
  private static final int PLACES_SHOWN = 10;

  /** What makes two pins the same to a reader. */
  private record Place(@Nullable String reason, @Nullable String operation, List<String> frames) {}

  /** Keeps copies of the lists. */
  public PinningReport {
    events = List.copyOf(events);
    ignored = List.copyOf(ignored);
  }

  /** Returns whether nothing pinned. {@linkplain #ignoring Ignored} pins do not count. */
  public boolean isClean() {
    return events.isEmpty();
  }

  /**
   * Returns whether the scheduler started more carriers than its parallelism, because a native call
   * or file access blocked one. That is not a pin, and the report stays clean.
   *
   * <p>Additional carriers stay for about 30 s. Growth up to the number that existed {@linkplain
   * #carriersAtStart at the start} cannot be seen.
   */
  public boolean carriersGrew() {
    return peakCarriers > Math.max(parallelism, carriersAtStart);
  }

  /**
   * Fails unless the report is clean.
   *
   * @return this report
   * @throws AssertionError if anything pinned, with the text of {@link #describe}
   */
  public PinningReport assertClean() {
    return assertAtMost(0);
  }

  /**
   * Fails if there are more pins than this. {@linkplain #ignoring Ignored} pins do not count.
   *
   * @param pins at least 0
   * @return this report
   * @throws AssertionError if there are more, with the text of {@link #describe}
   * @throws IllegalArgumentException if {@code pins} is negative
   */
  public PinningReport assertAtMost(int pins) {
    if (pins < 0) {
      throw new IllegalArgumentException("atMost must not be negative: " + pins);
    }
    if (events.size() > pins) {
      throw new AssertionError((pins == 0 ? "" : "at most " + pins + " allowed: ") + describe());
    }
    return this;
  }

  /**
   * Same as {@link #ignoring}, but fails if no pin has that frame. An exception that is no longer
   * needed would hide the next pin at that place.
   *
   * @throws AssertionError if no pin has that frame
   */
  public PinningReport ignoringKnown(String frame, String because) {
    PinningReport rest = ignoring(frame, because);
    if (rest.events.size() == events.size()) {
      throw new AssertionError(unmatched(frame, because) + "\n" + describe());
    }
    return rest;
  }

  static String unmatched(String frame, String because) {
    return "nothing pinned at " + frame + ", which is ignored because " + because;
  }

  /**
   * Same as {@link #ignoring}, for pins while the JVM loaded a class. They occur once per class, on
   * every JDK, on the thread that uses the class first.
   */
  public PinningReport ignoringClassLoading() {
    return ignoring("\\.loadClass\\(", "a class is loaded once");
  }

  /**
   * Returns this report without waits to enter {@code synchronized} that were shorter than this.
   * Such waits are recorded before JDK 24 only. A short one means that the monitor's owner was
   * working, or that the machine had preempted it; any code has these, including the JDK's
   * selectors and maps. A long one means that the owner itself waited, and held up the carrier.
   */
  public PinningReport ignoringContention(Duration shorterThan) {
    List<PinnedEvent> kept =
        events.stream()
            .filter(event -> !event.isContention() || event.duration().compareTo(shorterThan) >= 0)
            .toList();
    return kept.size() == events.size()
        ? this
        : without(kept, "waits for a monitor shorter than " + millis(shorterThan));
  }

  /**
   * Returns this report without the pins that have a certain frame anywhere in their stack. {@link
   * #describe} keeps their number and the reason.
   *
   * @param frame a regular expression to find in a frame, as {@link PinnedEvent#frames} has them
   * @param because why the pins do not matter: a link to a bug, a place that runs once
   * @throws IllegalArgumentException if {@code because} is blank, or {@code frame} is not a valid
   *     expression
   */
  public PinningReport ignoring(String frame, String because) {
    if (because.isBlank()) {
      throw new IllegalArgumentException("say why to ignore " + frame);
    }
    Predicate<String> matches = Pattern.compile(frame).asPredicate();
    List<PinnedEvent> kept =
        events.stream().filter(event -> event.frames().stream().noneMatch(matches)).toList();
    return without(kept, frame + ", because " + because);
  }

  private PinningReport without(List<PinnedEvent> kept, String what) {
    List<String> lines = new ArrayList<>(ignored);
    lines.add((events.size() - kept.size()) + " × " + what);
    return new PinningReport(kept, lines, carriersAtStart, peakCarriers, parallelism, duration);
  }

  /**
   * Returns the report as text of several lines: the frame that pinned and its caller, pins with
   * the same stack together and the most frequent first, and the carriers.
   */
  public String describe() {
    Map<Place, List<PinnedEvent>> places = new LinkedHashMap<>();
    for (PinnedEvent event : events) {
      places
          .computeIfAbsent(
              new Place(event.reason(), event.blockingOperation(), event.frames()),
              place -> new ArrayList<>())
          .add(event);
    }
    StringBuilder text = new StringBuilder();
    text.append(events.isEmpty() ? "no pin" : count(events.size(), "pin"))
        .append(events.isEmpty() ? "" : " in " + count(places.size(), "place"))
        .append(" during ")
        .append(millis(duration));
    places.values().stream()
        .sorted(Comparator.comparingInt(Collection<PinnedEvent>::size).reversed())
        .limit(PLACES_SHOWN)
        .forEach(place -> describe(place, text));
    if (places.size() > PLACES_SHOWN) {
      text.append("\n  and ").append(count(places.size() - PLACES_SHOWN, "more place"));
    }
    for (String line : ignored) {
      text.append("\nignored: ").append(line);
    }
    text.append("\ncarriers: at most ")
        .append(peakCarriers)
        .append(", ")
        .append(carriersAtStart)
        .append(" at the start, for a parallelism of ")
        .append(parallelism);
    return text.toString();
  }

  private static void describe(List<PinnedEvent> place, StringBuilder text) {
    PinnedEvent first = place.get(0);
    text.append("\n  ")
        .append(place.size())
        .append(" × ")
        .append(first.culpritIsCertain() ? "" : "probably ")
        .append(first.culprit());
    if (first.caller() != null) {
      text.append("\n      called from ").append(first.caller());
    }
    if (first.reason() != null) {
      text.append("\n      ").append(first.reason());
    }
    if (first.blockingOperation() != null) {
      text.append("\n      in ").append(first.blockingOperation());
    }
    Duration longest = place.stream().map(PinnedEvent::duration).max(Duration::compareTo).get();
    text.append("\n      for ")
        .append(millis(longest))
        .append(place.size() > 1 ? " at most, the first on " : ", on ")
        .append(first.thread());
    if (first.carrier() != null) {
      text.append(" over ").append(first.carrier());
    }
    for (String frame : first.framesToRead()) {
      text.append("\n        at ").append(frame);
    }
  }

  private static String count(int number, String thing) {
    return number + " " + thing + (number == 1 ? "" : "s");
  }

  private static String millis(Duration duration) {
    return TimeUnit.NANOSECONDS.toMicros(duration.toNanos()) / 1_000.0 + " ms";
  }
}
