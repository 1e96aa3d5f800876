package io.heddle.ahc;

import io.heddle.core.InFlightLimit;
import io.netty.channel.Channel;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One server, as far as calls have to wait for each other there.
 *
 * <pre>{@code
 * lane:  UNKNOWN ──notMultiplexed──▶ HTTP_1     any number of calls, each on a connection
 *           └──────opened──────────▶ HTTP_2     as many calls as the server allows streams
 *        UNKNOWN   one call at a time, which finds out what the server speaks
 *        UNKNOWN ──failed──▶ closed: who waits in it is answered with the failure
 *        HTTP_2 ──left──▶ closed: who waits in it goes to the next lane, UNKNOWN again
 * }</pre>
 *
 * <p>So in an outage nobody waits for the connect timeouts of those before him.
 *
 * <p>So a server that speaks HTTP/2 sees one connection, and never more streams than it allows.
 */
final class Origin {

  private static final AtomicReferenceFieldUpdater<Origin, Lane> LANE =
      AtomicReferenceFieldUpdater.newUpdater(Origin.class, Lane.class, "lane");

  private final int clientMaxStreams;
  private final @Nullable InFlightLimit connections;

  // Shared, under compare-and-set.
  private volatile Lane lane;

  /**
   * A server of which nothing is known.
   *
   * @param maxConnections at a time; 0 or less for no bound
   * @param clientMaxStreams at a time; 0 or less for no bound but the server's
   */
  Origin(int maxConnections, int clientMaxStreams) {
    this.connections = maxConnections > 0 ? new InFlightLimit(maxConnections) : null;
    this.clientMaxStreams = clientMaxStreams > 0 ? clientMaxStreams : Integer.MAX_VALUE;
    lane = new Lane();
  }

  /** Where a call goes now. */
  Lane lane() {
    return lane;
  }

  /** The bound on connections to this server; null if there is none. */
  @Nullable InFlightLimit connections() {
    return connections;
  }

  /** Whether nobody is here, so that it can be forgotten. */
  boolean isIdle() {
    Lane now = lane;
    return now.connection == null
        && now.limit.inFlight() == 0
        && (connections == null || connections.inFlight() == 0);
  }

  /** How many calls wait until they may begin. */
  int waiting() {
    return lane.limit.waiting() + (connections == null ? 0 : connections.waiting());
  }

  void close() {
    lane.limit.close();
    if (connections != null) {
      connections.close();
    }
  }

  /** The calls that share a connection, or the wait for one. */
  final class Lane {

    private final InFlightLimit limit = new InFlightLimit(1);

    // Written by event loops.
    private volatile @Nullable Channel connection;
    private volatile boolean known;
    private volatile @Nullable Throwable failure;

    /** The bound on calls. */
    InFlightLimit limit() {
      return limit;
    }

    /** Whether the calls here share one connection, so that none needs one of its own. */
    boolean isShared() {
      return connection != null;
    }

    /** The server does not speak HTTP/2. */
    void notMultiplexed() {
      known = true;
      if (connection == null) {
        limit.setMax(Integer.MAX_VALUE);
      }
    }

    /** There is a connection, or it now has this many streams. */
    void opened(Channel channel, int maxStreams) {
      if (connection == null || channel.equals(connection)) {
        connection = channel;
        known = true;
        limit.setMax(Math.min(maxStreams, clientMaxStreams));
      }
    }

    /** No more calls for now, if this is the connection; {@link #opened} lets them go on. */
    void pause(Channel channel) {
      if (channel.equals(connection)) {
        limit.setMax(0);
      }
    }

    /**
     * The call that was to find out has failed, before it had a connection to send itself on. It
     * still has its place: those who wait must not try one after the other.
     */
    void failed(Throwable why) {
      if (!known) {
        failure = why;
        left();
      }
    }

    /** What answers those who waited here; null if they may go on to the next lane. */
    @Nullable Throwable failure() {
      return failure;
    }

    /** The connection takes no more streams. */
    void left() {
      if (LANE.compareAndSet(Origin.this, this, new Lane())) {
        limit.close(); // those who wait go to the new one
      }
    }
  }
}
