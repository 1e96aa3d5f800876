package io.heddle.apache;

import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.core5.pool.PoolEntry;
import org.jspecify.annotations.Nullable;

/**
 * What an endpoint holds and gives back: a pool entry of its own, or a stream of a connection that
 * others use as well.
 */
final class Lease {

  private final PoolEntry<HttpRoute, ReactorConnection> entry;
  private final SharedConnections.@Nullable Shared shared;

  /** Whether others wait for what becomes of this lease's connection; under the caller's hand. */
  private boolean opening;

  private Lease(
      PoolEntry<HttpRoute, ReactorConnection> entry,
      SharedConnections.@Nullable Shared shared,
      boolean opening) {
    this.entry = entry;
    this.shared = shared;
    this.opening = opening;
  }

  /** A pool entry for one caller alone. */
  static Lease exclusive(PoolEntry<HttpRoute, ReactorConnection> entry) {
    return new Lease(entry, null, false);
  }

  /** A pool entry whose connection, if it turns out to be HTTP/2, will be shared. */
  static Lease opening(PoolEntry<HttpRoute, ReactorConnection> entry) {
    return new Lease(entry, null, true);
  }

  /** A stream of a shared connection. */
  static Lease stream(SharedConnections.Shared shared) {
    return new Lease(shared.entry, shared, false);
  }

  PoolEntry<HttpRoute, ReactorConnection> entry() {
    return entry;
  }

  SharedConnections.@Nullable Shared shared() {
    return shared;
  }

  /** The connection, or null if there is none yet or any more. */
  @Nullable ReactorConnection connection() {
    return shared != null ? shared.connection : entry.getConnection();
  }

  /** Whether this lease opens a connection for others; answers true once. */
  boolean endOpening() {
    boolean was = opening;
    opening = false;
    return was;
  }

  @Override
  public String toString() {
    return (shared != null ? "stream of " : "") + connection();
  }
}
