package io.heddle.core;

import io.heddle.CallsInFlight;
import io.heddle.core.CallEvent.Step;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a client says of its calls under way: how many wait for what, and then each, with the thread
 * that waits, by which a thread dump has it. What an adapter's {@code toString} is made of.
 *
 * <pre>{@code
 * BlockingAhcClient[calls in flight: 2, waiting for a place: 1; callers wait for: place 1, head 2]
 *   GET orders.example:443 waits for the head, thread #33 "order-17"
 *   GET orders.example:443 waits for the head, thread #35 "order-19"
 * }</pre>
 *
 * <p>A call is looked at only while a report is made, so it costs nothing to be ready for one. It
 * is a snapshot of what goes on meanwhile.
 */
public final class CallReport {

  /** Calls that are listed, at most; all are counted. */
  private static final int LISTED = 100;

  private final String client;
  private final int inFlight;
  private final int waiting;
  private final Map<Step, Integer> counts = new EnumMap<>(Step.class);
  private final List<String> calls = new ArrayList<>();
  private int more;

  /**
   * A report of no calls.
   *
   * @param client what calls them
   */
  public CallReport(String client, CallsInFlight of) {
    this.client = client;
    this.inFlight = of.inFlight();
    this.waiting = of.waiting();
  }

  /**
   * A call.
   *
   * @param waitsFor what its caller waits for; null if for nothing
   * @param asked method and authority, or as much as is known where it waits
   * @param caller the thread that waits; null if none does, or nobody knows
   */
  public void add(@Nullable Step waitsFor, String asked, @Nullable Thread caller) {
    if (waitsFor != null) {
      counts.merge(waitsFor, 1, Integer::sum);
    }
    if (calls.size() == LISTED) {
      more++;
      return;
    }
    String thread =
        caller == null ? "" : ", thread #" + caller.threadId() + " \"" + caller.getName() + "\"";
    calls.add(asked + " waits for " + inWords(waitsFor) + thread);
  }

  private static String inWords(@Nullable Step waitsFor) {
    if (waitsFor == null) {
      return "nothing";
    }
    return (waitsFor == Step.HEAD || waitsFor == Step.BODY ? "the " : "a ") + waitsFor;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(client);
    text.append("[calls in flight: ").append(inFlight);
    text.append(", waiting for a place: ").append(waiting);
    String separator = "; callers wait for: ";
    for (Map.Entry<Step, Integer> each : counts.entrySet()) {
      text.append(separator).append(each.getKey()).append(' ').append(each.getValue());
      separator = ", ";
    }
    text.append(']');
    for (String each : calls) {
      text.append("\n  ").append(each);
    }
    if (more > 0) {
      text.append("\n  and ").append(more).append(" more");
    }
    return text.toString();
  }
}
