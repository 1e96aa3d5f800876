package io.heddle.bench.load;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Counts how calls end, and how many are in flight; any thread may tell it. */
public final class Tally {

  /** More kinds of errors than a reader reads are counted as one. */
  private static final int KINDS = 12;

  /** What differs between two errors of a kind: numbers, and identities of objects. */
  private static final Pattern PARTICULARS = Pattern.compile("@[0-9a-f]+|[0-9]+");

  private static final int LONGEST_KIND = 160;

  /** How the kind begins of calls that did not end. */
  public static final String NO_END = "no end within ";

  private final Histogram latency = new ConcurrentHistogram(TimeUnit.HOURS.toNanos(1), 3);
  private final LongAdder successes = new LongAdder();
  private final Map<String, AtomicLong> errors = new ConcurrentHashMap<>();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger maxInFlight = new AtomicInteger();

  void started() {
    int now = inFlight.incrementAndGet();
    if (now > maxInFlight.get()) {
      maxInFlight.accumulateAndGet(now, Math::max);
    }
  }

  void succeeded(long nanos) {
    inFlight.decrementAndGet();
    latency.recordValue(Math.max(0, nanos));
    successes.increment();
  }

  void failed(Throwable failure) {
    inFlight.decrementAndGet();
    String kind = kindOf(failure);
    if (errors.size() >= KINDS && !errors.containsKey(kind)) {
      kind = "other errors";
    }
    errors.computeIfAbsent(kind, what -> new AtomicLong()).incrementAndGet();
  }

  /** Those that are in flight will not be waited for. */
  void givenUp(String why) {
    int left = inFlight.get();
    if (left > 0) {
      errors.put(why, new AtomicLong(left));
    }
  }

  int inFlight() {
    return inFlight.get();
  }

  public int maxInFlight() {
    return maxInFlight.get();
  }

  public long successes() {
    return successes.sum();
  }

  /** By what they were. */
  public Map<String, Long> errors() {
    Map<String, Long> counts = new TreeMap<>();
    errors.forEach((what, count) -> counts.put(what, count.get()));
    return counts;
  }

  /** Of the successful calls, in ns. */
  public Histogram latency() {
    return latency.copy();
  }

  static String kindOf(Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    String message = cause.getMessage();
    String kind = cause.getClass().getSimpleName();
    if (message != null) {
      String line = message.lines().findFirst().orElse("");
      kind += ": " + PARTICULARS.matcher(line).replaceAll("#");
    }
    return kind.length() <= LONGEST_KIND ? kind : kind.substring(0, LONGEST_KIND) + " …";
  }
}
