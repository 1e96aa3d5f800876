package io.heddle.apache;

import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.core5.function.Resolver;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.pool.PoolEntry;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/** How connections to a route are made, and for how long they are good; may change at any time. */
final class RouteSettings {

  private final SocketConfig defaultSocketConfig;
  private volatile @Nullable Resolver<HttpRoute, SocketConfig> socketConfigs;
  private volatile @Nullable Resolver<HttpRoute, ConnectionConfig> connectionConfigs;
  private volatile @Nullable Resolver<HttpHost, TlsConfig> tlsConfigs;

  RouteSettings(SocketConfig defaultSocketConfig) {
    this.defaultSocketConfig = defaultSocketConfig;
  }

  void setSocketConfigs(@Nullable Resolver<HttpRoute, SocketConfig> resolver) {
    socketConfigs = resolver;
  }

  void setConnectionConfigs(@Nullable Resolver<HttpRoute, ConnectionConfig> resolver) {
    connectionConfigs = resolver;
  }

  void setTlsConfigs(@Nullable Resolver<HttpHost, TlsConfig> resolver) {
    tlsConfigs = resolver;
  }

  private SocketConfig socketConfig(HttpRoute route) {
    return resolved(socketConfigs, route, defaultSocketConfig);
  }

  ConnectionConfig connectionConfig(HttpRoute route) {
    return resolved(connectionConfigs, route, ConnectionConfig.DEFAULT);
  }

  private TlsConfig tlsConfig(HttpHost host) {
    return resolved(tlsConfigs, host, TlsConfig.DEFAULT);
  }

  private static <K, V> V resolved(@Nullable Resolver<K, V> resolver, K key, V defaultValue) {
    V value = resolver == null ? null : resolver.resolve(key);
    return value == null ? defaultValue : value;
  }

  /** How long a caller waits for its peer where the request does not say: as the classic pool. */
  Timeout socketTimeout(HttpRoute route) {
    Timeout ofConnection = connectionConfig(route).getSocketTimeout();
    return Timeout.defaultsToInfinite(
        ofConnection != null ? ofConnection : socketConfig(route).getSoTimeout());
  }

  /** Whether a connection to this route can turn out to be HTTP/2. */
  boolean mayShare(HttpRoute route) {
    HttpVersionPolicy policy = tlsConfig(route.getTargetHost()).getHttpVersionPolicy();
    return policy == HttpVersionPolicy.FORCE_HTTP_2
        || (route.isSecure() && policy == HttpVersionPolicy.NEGOTIATE);
  }

  boolean isOutlived(PoolEntry<HttpRoute, ReactorConnection> entry) {
    TimeValue timeToLive = connectionConfig(entry.getRoute()).getTimeToLive();
    return TimeValue.isNonNegative(timeToLive)
        && System.currentTimeMillis() - entry.getCreated() >= timeToLive.toMilliseconds();
  }

  /** So that {@code closeExpired}, which knows only the expiry, heeds the time to live as well. */
  TimeValue withinLife(PoolEntry<HttpRoute, ReactorConnection> entry, TimeValue keepAlive) {
    TimeValue timeToLive = connectionConfig(entry.getRoute()).getTimeToLive();
    if (!TimeValue.isNonNegative(timeToLive)) {
      return keepAlive;
    }
    long left = timeToLive.toMilliseconds() - (System.currentTimeMillis() - entry.getCreated());
    boolean longer = !TimeValue.isPositive(keepAlive) || keepAlive.toMilliseconds() > left;
    return longer ? TimeValue.ofMilliseconds(Math.max(1, left)) : keepAlive;
  }

  ConnectionOpener.Plan plan(
      HttpRoute route, @Nullable TimeValue connectTimeout, HttpContext context) {
    Timeout configured = connectionConfig(route).getConnectTimeout();
    Timeout timeout =
        connectTimeout != null
            ? Timeout.of(connectTimeout.getDuration(), connectTimeout.getTimeUnit())
            : configured;
    return new ConnectionOpener.Plan(
        route,
        tlsConfig(route.getTargetHost()),
        socketConfig(route),
        Timeout.defaultsToInfinite(timeout),
        CallDeadline.of(context));
  }
}
