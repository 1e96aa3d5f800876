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
 * What a {@link PinningRecorder} saw.
 *
 * @param events the pins, in no particular order
 * @param ignored what {@link #ignoring} took out, a line for each rule
 * @param carriersAtStart how many carrier threads there were when the recording started
 * @param peakCarriers how many carrier threads there were at most during the recording
 * @param parallelism how many carrier threads the scheduler means to have, as of the stop
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

  /** Whether nothing pinned. What was {@linkplain #ignoring ignored} does not count. */
  public boolean isClean() {
    return events.isEmpty();
  }

  /**
   * Whether the scheduler started more carriers than it means to have: a native call or file access
   * blocked one, and it made up for that. This is no pin and leaves the report clean.
   *
   * <p>Carriers stay for about 30 s once there are more. Growth up to the number that there was
   * {@linkplain #carriersAtStart at the start} cannot be seen.
   */
  public boolean carriersGrew() {
    return peakCarriers > Math.max(parallelism, carriersAtStart);
  }

  /**
   * Fails unless the report is clean.
   *
   * @return this report
   * @throws AssertionError if anything pinned, with what {@link #describe} says
   */
  public PinningReport assertClean() {
    if (!isClean()) {
      throw new AssertionError(describe());
    }
    return this;
  }

  /**
   * This report without the pins that have a certain frame somewhere in their stack, of which
   * {@link #describe} keeps the number and the reason.
   *
   * @param frame a regular expression to be found in a frame, as {@link PinnedEvent#frames} has
   *     them
   * @param because why that is no matter: a link to a bug, a place that runs once
   * @throws IllegalArgumentException if {@code because} is blank, or {@code frame} not an
   *     expression
   */
  public PinningReport ignoring(String frame, String because) {
    if (because.isBlank()) {
      throw new IllegalArgumentException("say why to ignore " + frame);
    }
    Predicate<String> matches = Pattern.compile(frame).asPredicate();
    List<PinnedEvent> kept =
        events.stream().filter(event -> event.frames().stream().noneMatch(matches)).toList();
    List<String> lines = new ArrayList<>(ignored);
    lines.add((events.size() - kept.size()) + " × " + frame + ", because " + because);
    return new PinningReport(kept, lines, carriersAtStart, peakCarriers, parallelism, duration);
  }

  /**
   * The report for a human, in several lines: which frame pinned and who called it, the pins with
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
