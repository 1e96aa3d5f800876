package io.heddle;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Objects;

/**
 * Gauges for Micrometer of what a client has under way.
 *
 * <pre>{@code
 * new CallMetrics(client, "orders").bindTo(registry);
 * }</pre>
 *
 * <p>{@code heddle.calls.in.flight} and {@code heddle.calls.waiting}, see {@link CallsInFlight},
 * with the tag {@code client}. Needs {@code micrometer-core}, which Heddle does not bring.
 * Micrometer holds the client by a weak reference.
 */
public final class CallMetrics implements MeterBinder {

  private final CallsInFlight client;
  private final Tags tags;

  /**
   * Gauges that are not bound yet.
   *
   * @param client any of Heddle's
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
