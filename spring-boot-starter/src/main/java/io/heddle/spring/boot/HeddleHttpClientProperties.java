package io.heddle.spring.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What Heddle adds to Boot's own {@code spring.http.clients.*}.
 *
 * @param enabled Whether Boot's HTTP clients run over Heddle.
 * @param deadline Longest time for a whole call, from the wait for a connection to the end of the
 *     response body. No deadline unless set.
 * @param leaseTimeout Longest wait for a connection, or a stream, that is free. Unless set, that of
 *     the client: 3 minutes with Apache, no end with Jetty and the JDK.
 * @param maxConnectionsPerRoute Most connections to a host. Unless set, 1000 with Apache, 256 with
 *     Jetty, and no limit with the JDK.
 * @param maxConnections Most connections in all; with Apache only. Unless set, 10000.
 * @param http2 When to speak HTTP/2.
 */
@ConfigurationProperties("heddle.http.client")
public record HeddleHttpClientProperties(
    @DefaultValue("true") boolean enabled,
    @Nullable Duration deadline,
    @Nullable Duration leaseTimeout,
    @Nullable Integer maxConnectionsPerRoute,
    @Nullable Integer maxConnections,
    @DefaultValue("negotiate") Http2 http2) {

  /** Refuses what no client can heed. */
  public HeddleHttpClientProperties {
    positive(deadline, "deadline");
    positive(leaseTimeout, "lease-timeout");
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
