package io.heddle.spring.boot;

import io.heddle.CallMetrics;
import io.heddle.apache.BlockingConnectionManager;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.apache.hc.core5.pool.PoolStats;

/**
 * Registers the gauges of each connection pool: those of {@link CallMetrics}, tagged {@code
 * client=heddle}, {@code heddle-2} and so on, and those that Micrometer has for Apache's own pool,
 * under its names, tagged {@code httpclient} with the same.
 */
final class ConnectionPoolMetrics implements Consumer<BlockingConnectionManager> {

  private final MeterRegistry registry;
  private final AtomicInteger pools = new AtomicInteger();

  ConnectionPoolMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void accept(BlockingConnectionManager pool) {
    int number = pools.incrementAndGet();
    String name = number == 1 ? "heddle" : "heddle-" + number;
    new CallMetrics(pool, name).bindTo(registry);
    Tags tags = Tags.of("httpclient", name);
    gauge("total.max", "Most connections in all", tags, pool, PoolStats::getMax);
    gauge(
        "total.connections",
        "Connections in use",
        tags.and("state", "leased"),
        pool,
        PoolStats::getLeased);
    gauge(
        "total.connections",
        "Idle connections",
        tags.and("state", "available"),
        pool,
        PoolStats::getAvailable);
    gauge("total.pending", "Callers that wait for a connection", tags, pool, PoolStats::getPending);
  }

  private void gauge(
      String name,
      String description,
      Tags tags,
      BlockingConnectionManager pool,
      ToDoubleFunction<PoolStats> value) {
    Gauge.builder(
            "httpcomponents.httpclient.pool." + name,
            pool,
            each -> value.applyAsDouble(each.getTotalStats()))
        .description(description)
        .tags(tags)
        .register(registry);
  }
}
