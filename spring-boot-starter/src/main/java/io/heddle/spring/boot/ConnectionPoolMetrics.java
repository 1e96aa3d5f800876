package io.heddle.spring.boot;

import io.heddle.CallMetrics;
import io.heddle.apache.BlockingConnectionManager;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.ToDoubleFunction;
import org.apache.hc.core5.pool.PoolStats;

/**
 * Registers the gauges of each connection pool: those of {@link CallMetrics}, tagged {@code
 * client=heddle}, {@code heddle-2} and so on, and those that Micrometer has for Apache's own pool,
 * under its names, tagged {@code httpclient} with the same. A pool that closes loses its gauges,
 * and the next one gets its name.
 */
final class ConnectionPoolMetrics implements Opened.Listener<BlockingConnectionManager> {

  private static final String CALLS = "heddle.calls.";
  private static final String POOL = "httpcomponents.httpclient.pool.";

  private final MeterRegistry registry;

  /** By number. */
  private final ConcurrentMap<Integer, BlockingConnectionManager> pools = new ConcurrentHashMap<>();

  ConnectionPoolMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void opened(BlockingConnectionManager pool) {
    int number = 1;
    while (pools.putIfAbsent(number, pool) != null) {
      number++;
    }
    String name = name(number);
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

  @Override
  public void closed(BlockingConnectionManager pool) {
    pools.forEach(
        (number, each) -> {
          if (each == pool) {
            registry.getMeters().stream()
                .map(Meter::getId)
                .filter(id -> isOf(id, name(number)))
                .forEach(registry::remove);
            pools.remove(number);
          }
        });
  }

  private static String name(int number) {
    return number == 1 ? "heddle" : "heddle-" + number;
  }

  private static boolean isOf(Meter.Id id, String name) {
    return (id.getName().startsWith(CALLS) && name.equals(id.getTag("client")))
        || (id.getName().startsWith(POOL) && name.equals(id.getTag("httpclient")));
  }

  private void gauge(
      String name,
      String description,
      Tags tags,
      BlockingConnectionManager pool,
      ToDoubleFunction<PoolStats> value) {
    Gauge.builder(POOL + name, pool, each -> value.applyAsDouble(each.getTotalStats()))
        .description(description)
        .tags(tags)
        .register(registry);
  }
}
