package io.heddle.spring.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties that Heddle adds to Boot's {@code spring.http.clients.*}.
 *
 * @param enabled Whether Boot's HTTP clients use Heddle.
 * @param deadline Longest time for a whole call, from the wait for a connection to the end of the
 *     response body. No deadline by default.
 * @param queueTimeout Longest wait for a free connection or stream. Default 3 minutes with Apache,
 *     no limit with Jetty and the JDK.
 * @param maxConnectionsPerRoute Maximum number of connections to a host. Default 1000 with Apache,
 *     256 with Jetty, no limit with the JDK.
 * @param maxConnections Maximum number of connections in total; with Apache only. Default 10000.
 * @param http2 When to use HTTP/2.
 */
@ConfigurationProperties("heddle.http.client")
public record HeddleHttpClientProperties(
    @DefaultValue("true") boolean enabled,
    @Nullable Duration deadline,
    @Nullable Duration queueTimeout,
    @Nullable Integer maxConnectionsPerRoute,
    @Nullable Integer maxConnections,
    @DefaultValue("negotiate") Http2 http2) {

  /** Rejects values that no client can use. */
  public HeddleHttpClientProperties {
    positive(deadline, "deadline");
    positive(queueTimeout, "queue-timeout");
    positive(maxConnectionsPerRoute, "max-connections-per-route");
    positive(maxConnections, "max-connections");
  }

  private static void positive(@Nullable Duration value, String name) {
    if (value != null && !value.isPositive()) {
      throw new IllegalArgumentException(notPositive(name, value));
    }
  }

  private static void positive(@Nullable Integer value, String name) {
    if (value != null && value < 1) {
      throw new IllegalArgumentException(notPositive(name, value));
    }
  }

  private static String notPositive(String name, Object value) {
    return "heddle.http.client." + name + " must be positive: " + value;
  }
}
