package io.heddle.core;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One server, as far as calls to it wait for each other: at first one of them goes ahead, and opens
 * the connection that the others may share; then as many at a time as the server takes.
 *
 * <p>Calls go in lanes, one after the other: a lane is the calls that share a connection, or the
 * wait for one, or connections that each has for itself.
 *
 * <pre>{@code
 * lane: COLD ──open(max)─────────────▶ OPEN     so many calls, each with a connection of its own
 *         ├────open(connection, max)─▶ SHARED   as many calls as that has streams
 *         │                            OPEN, SHARED ──left──▶ LEFT
 *         └─failed, left─▶ LEFT
 *       COLD   one call at a time, which finds out what the server speaks
 *       LEFT   the next lane is there, COLD; who has a place here keeps it and gives it back here.
 *              Who waits goes on waiting there, in his turn; after failed he gets the failure:
 *              in an outage nobody waits for the attempts of those before him
 * }</pre>
 *
 * <p>The bound of an OPEN or SHARED lane changes as often as it is opened anew. To take a free
 * place is one compare-and-set; see {@link InFlightLimit}, which a lane is.
 *
 * <p>Any thread; nothing here waits, but the exchange that {@link Lane#ask} returns.
 */
public final class Lanes implements AutoCloseable {

  private static final AtomicReferenceFieldUpdater<Lanes, Lane> NOW =
      AtomicReferenceFieldUpdater.newUpdater(Lanes.class, Lane.class, "now");

  private final int most;

  // Shared. He who closes writes `closed` and then looks at `now`; whose lane is left, the other
  // way round.
  private volatile Lane now;
  private volatile boolean closed;

  /**
   * A server of which nothing is known.
   *
   * @param most so many calls share a connection at most
   */
  public Lanes(int most) {
    this.most = most;
    this.now = new Lane();
  }

  /** Where a call goes now. */
  public Lane now() {
    return now;
  }

  /** Whether nobody is in the lane of now, nor waits for it. */
  public boolean isIdle() {
    return now.inFlight() == 0 && now.waiting() == 0;
  }

  /** Turns away all that wait, and all that come; those in flight leave as they like. */
  @Override
  public void close() {
    closed = true;
    now.close();
  }

  /** The calls that share a connection, or the wait for one. */
  public final class Lane extends InFlightLimit {

    // Each is written once.
    private volatile @Nullable Object connection;
    private volatile boolean open;

    private Lane() {
      super(1);
    }

    /** Whether it is known what becomes of calls here. */
    public boolean isOpen() {
      return open;
    }

    /** Whether the calls here share one connection, so that none needs one of its own. */
    public boolean isShared() {
      return connection != null;
    }

    /** Whether calls go in a later lane by now. */
    public boolean isLeft() {
      return now != this;
    }

    /** So many calls may be at a time, each with a connection of its own; not if one is shared. */
    public void open(int max) {
      open = true;
      if (!isShared()) {
        setMax(max);
      }
    }

    /**
     * There is a connection to share, or it now has so many streams, which may be 0 for a while. A
     * second one counts for nothing.
     */
    public void open(Object shared, int max) {
      if (connection == null || shared.equals(connection)) {
        connection = shared;
        open = true;
        setMax(Math.min(max, most));
      }
    }

    /**
     * The call that was to find out has failed, before it had a connection to send itself on. It
     * still has its place.
     *
     * @param why is what those who wait get; nobody does if this lane is not COLD
     */
    public void failed(Throwable why) {
      if (!open) {
        leave(why);
      }
    }

    /** The connection takes no more calls, or is gone. */
    public void left() {
      leave(null);
    }

    private void leave(@Nullable Throwable why) {
      Lane next = new Lane();
      if (NOW.compareAndSet(Lanes.this, this, next)) {
        follow(next, why);
        if (closed) {
          now.close();
        }
      }
    }
  }
}
