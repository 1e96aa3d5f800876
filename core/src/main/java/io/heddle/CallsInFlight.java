package io.heddle;

/**
 * A client that reports how many calls are in flight. Every Heddle client implements this
 * interface. Its {@code toString} also reports what each call waits for.
 *
 * <p>Any thread may call these methods at any time. The results are snapshots.
 */
public interface CallsInFlight {

  /**
   * Returns the number of calls that hold a connection or an HTTP/2 stream, or are about to open
   * one. A call counts until the end of its response.
   */
  int inFlight();

  /**
   * Returns the number of calls that wait for a connection or stream because others hold all that
   * are allowed.
   */
  int waiting();
}
