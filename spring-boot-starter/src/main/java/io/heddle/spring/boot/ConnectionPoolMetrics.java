package io.heddle.spring.boot;

import io.heddle.CallMetrics;
import io.heddle.apache.BlockingConnectionManager;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.Set;
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

  private final MeterRegistry registry;

  /** Those that pools have. */
  private final Set<Integer> numbers = ConcurrentHashMap.newKeySet();

  private final ConcurrentMap<BlockingConnectionManager, Gauges> gauges = new ConcurrentHashMap<>();

  /** What was registered for a pool; a filter may have given it other names and tags. */
  private record Gauges(int number, CallMetrics calls, List<Gauge> ofPool) {}

  ConnectionPoolMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void opened(BlockingConnectionManager pool) {
    int number = 1;
    while (!numbers.add(number)) {
      number++;
    }
    String name = number == 1 ? "heddle" : "heddle-" + number;
    CallMetrics calls = new CallMetrics(pool, name);
    calls.bindTo(registry);
    Tags tags = Tags.of("httpclient", name);
    gauges.put(
        pool,
        new Gauges(
            number,
            calls,
            List.of(
                gauge("max", "Most connections in all", tags, pool, PoolStats::getMax),
                gauge(
                    "connections",
                    "Connections in use",
                    tags.and("state", "leased"),
                    pool,
                    PoolStats::getLeased),
                gauge(
                    "connections",
                    "Idle connections",
                    tags.and("state", "available"),
                    pool,
                    PoolStats::getAvailable),
                gauge(
                    "pending",
                    "Callers that wait for a connection",
                    tags,
                    pool,
                    PoolStats::getPending))));
  }

  @Override
  public void closed(BlockingConnectionManager pool) {
    Gauges registered = gauges.remove(pool);
    if (registered != null) {
      registered.calls().close();
      registered.ofPool().forEach(registry::remove);
      numbers.remove(registered.number());
    }
  }

  private Gauge gauge(
      String name,
      String description,
      Tags tags,
      BlockingConnectionManager pool,
      ToDoubleFunction<PoolStats> value) {
    return Gauge.builder(
            "httpcomponents.httpclient.pool.total." + name,
            pool,
            each -> value.applyAsDouble(each.getTotalStats()))
        .description(description)
        .tags(tags)
        .register(registry);
  }
}
