package io.heddle;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Objects;

/**
 * Micrometer gauges of the calls of one client.
 *
 * <pre>{@code
 * new CallMetrics(client, "orders").bindTo(registry);
 * }</pre>
 *
 * <p>The gauges are {@code heddle.calls.in.flight} and {@code heddle.calls.waiting}, with the tag
 * {@code client}; see {@link CallsInFlight}. Needs {@code micrometer-core}, which is not a
 * dependency of Heddle. Micrometer holds the client by a weak reference.
 */
public final class CallMetrics implements MeterBinder {

  private final CallsInFlight client;
  private final Tags tags;

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
    Gauge.builder("heddle.calls.in.flight", client, CallsInFlight::inFlight)
        .description("Calls that have a connection or stream")
        .tags(tags)
        .register(registry);
    Gauge.builder("heddle.calls.waiting", client, CallsInFlight::waiting)
        .description("Calls that wait for a connection or stream")
        .tags(tags)
        .register(registry);
  }
}
