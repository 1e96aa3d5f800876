package io.heddle;

/**
 * A client that tells how many calls it has under way: each of Heddle's does. For gauges; {@code
 * toString} of the same object says of each call what it waits for.
 *
 * <p>Any thread may ask, as often as it likes. The answers are snapshots.
 */
public interface CallsInFlight {

  /**
   * How many calls have a place: a connection, or a stream of HTTP/2, that is there or about to be
   * made. A call has it until its response has come to its end.
   */
  int inFlight();

  /** How many calls wait for such a place, since others have all that there may be. */
  int waiting();
}
