package io.heddle;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.ToIntFunction;

/**
 * Micrometer gauges of the calls of one client.
 *
 * <pre>{@code
 * new CallMetrics(client, "orders").bindTo(registry);
 * }</pre>
 *
 * <p>The gauges are {@code heddle.calls.in.flight} and {@code heddle.calls.waiting}, with the tag
 * {@code client}; see {@link CallsInFlight}. Needs {@code micrometer-core}, which is not a
 * dependency of Heddle. Micrometer holds the client by a weak reference. {@link #close} removes the
 * gauges, for a client that is closed before its application ends. Thread-safe.
 */
public final class CallMetrics implements MeterBinder, AutoCloseable {

  private final CallsInFlight client;
  private final Tags tags;

  private final Queue<Runnable> removals = new ConcurrentLinkedQueue<>();

  /**
   * Creates the gauges. {@link #bindTo} registers them.
   *
   * @param client a Heddle client
   * @param name the value of the tag {@code client}
   */
  public CallMetrics(CallsInFlight client, String name) {
    this.client = Objects.requireNonNull(client, "client");
    this.tags = Tags.of("client", name);
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    gauge("in.flight", "Calls that have a connection or stream", CallsInFlight::inFlight, registry);
    gauge(
        "waiting", "Calls that wait for a connection or stream", CallsInFlight::waiting, registry);
  }

  private void gauge(
      String name, String description, ToIntFunction<CallsInFlight> value, MeterRegistry registry) {
    Gauge gauge =
        Gauge.builder("heddle.calls." + name, client, value::applyAsInt)
            .description(description)
            .tags(tags)
            .register(registry);
    removals.add(() -> registry.remove(gauge));
  }

  /**
   * Removes the gauges from the registries that they were bound to, whatever a filter calls them.
   */
  @Override
  public void close() {
    for (Runnable each = removals.poll(); each != null; each = removals.poll()) {
      each.run();
    }
  }
}
