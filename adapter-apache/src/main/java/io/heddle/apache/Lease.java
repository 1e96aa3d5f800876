package io.heddle.apache;

import java.io.IOException;
import java.util.Objects;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.core5.pool.PoolEntry;
import org.jspecify.annotations.Nullable;

/**
 * What an endpoint holds and gives back: a pool entry of its own, or a stream of a connection that
 * others use as well. Immutable: an endpoint that comes to hold something else gets another lease,
 * under compare-and-set, so that whoever takes a lease out of its endpoint, and nobody else, tells
 * what became of it.
 *
 * <pre>{@code
 * granted   EXCLUSIVE or OPENING, without an entry ──of the pool──▶ the same, with one
 *
 * EXCLUSIVE ──connected, HTTP/2──▶ STREAM ──connection dead──▶ NONE ──leased anew──▶ any
 * OPENING ────connected, HTTP/2──▶ STREAM
 *    ├────────connected, HTTP/1.1─▶ EXCLUSIVE
 *    └────────failed──────────────▶ EXCLUSIVE   the others are told
 * FAILED                                        connecting it throws
 * }</pre>
 */
final class Lease {

  /** The old one is given back, the next is not there yet. */
  static final Lease NONE = new Lease(null, null, null, false, null);

  /** EXCLUSIVE, whatever its connection turns out to speak. */
  static final Lease ALONE = exclusive(null);

  private final @Nullable PoolEntry<HttpRoute, ReactorConnection> entry;
  private final SharedConnections.@Nullable Shared shared;
  private final @Nullable SharedConnections sharing;
  private final boolean opening;
  private final @Nullable IOException failure;

  private Lease(
      @Nullable PoolEntry<HttpRoute, ReactorConnection> entry,
      SharedConnections.@Nullable Shared shared,
      @Nullable SharedConnections sharing,
      boolean opening,
      @Nullable IOException failure) {
    this.entry = entry;
    this.shared = shared;
    this.sharing = sharing;
    this.opening = opening;
    this.failure = failure;
  }

  /**
   * A connection of the pool for one caller.
   *
   * @param sharing what it joins if it turns out to be HTTP/2; null for nothing
   */
  static Lease exclusive(@Nullable SharedConnections sharing) {
    return new Lease(null, null, sharing, false, null);
  }

  /** A connection of the pool for which others wait. */
  static Lease opening(SharedConnections sharing) {
    return new Lease(null, null, sharing, true, null);
  }

  /** This one, once the pool has lent an entry for it. */
  Lease with(PoolEntry<HttpRoute, ReactorConnection> lent) {
    return new Lease(lent, null, sharing, opening, null);
  }

  /** A stream of a shared connection. */
  static Lease stream(SharedConnections.Shared shared) {
    return new Lease(shared.entry, shared, null, false, null);
  }

  /** Nothing: the connection that the caller waited for could not be made. */
  static Lease failed(IOException why) {
    return new Lease(null, null, null, false, why);
  }

  /** The pool's entry; not of a lease that holds nothing. */
  PoolEntry<HttpRoute, ReactorConnection> entry() {
    return Objects.requireNonNull(entry, "a lease that holds nothing");
  }

  boolean holdsNothing() {
    return entry == null;
  }

  /** Whether the pool has to lend an entry for it. */
  boolean needsEntry() {
    return entry == null && failure == null;
  }

  SharedConnections.@Nullable Shared shared() {
    return shared;
  }

  @Nullable SharedConnections sharing() {
    return sharing;
  }

  /** This one, for which nobody waits any more; or itself, if nobody did. */
  Lease notOpening() {
    return opening ? new Lease(entry, null, sharing, false, null) : this;
  }

  /** This one, of an endpoint that was closed: what is made of the lease before is void. */
  Lease closed() {
    return new Lease(entry, shared, sharing, opening, failure);
  }

  /** Its connection could not be made: tells those who wait for it, if there are any. */
  void openFailed(IOException why) {
    if (opening && sharing != null) {
      sharing.openFailed(why);
    }
  }

  /** Nobody opens its connection: tells those who wait for it, if there are any. */
  void openGivenUp() {
    if (opening && sharing != null) {
      sharing.openGivenUp();
    }
  }

  /** Why there is no connection, where that is known already. */
  @Nullable IOException failure() {
    return failure;
  }

  /** The connection, or {@link ReactorConnection#NONE} if there is none yet or any more. */
  ReactorConnection connection() {
    if (shared != null) {
      return shared.connection;
    }
    ReactorConnection own = entry == null ? null : entry.getConnection();
    return own == null ? ReactorConnection.NONE : own;
  }

  /** What this lease is once its connection is made; this one, if nothing changes. */
  Lease connected() {
    ReactorConnection connection = connection();
    if (connection == ReactorConnection.NONE || sharing == null) {
      return this;
    }
    if (connection.isMultiplexed()) {
      return stream(sharing.new Shared(entry(), connection));
    }
    return notOpening();
  }

  /** Tells those who may share the connection that {@code now} is what became of this lease. */
  void tell(Lease now) {
    if (now == this || sharing == null) {
      return;
    }
    if (now.shared != null) {
      sharing.opened(now.shared, opening);
    } else {
      sharing.openedExclusive();
    }
  }

  @Override
  public String toString() {
    return (shared != null ? "stream of " : "") + connection();
  }
}
