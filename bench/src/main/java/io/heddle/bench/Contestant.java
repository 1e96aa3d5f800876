package io.heddle.bench;

import java.net.URI;

/** A client to measure. */
interface Contestant {

  /** What the table calls it. */
  String name();

  /** Whether it is one of ours: then a pin fails the run. */
  boolean isOurs();

  /** Makes the client, for so many callers at a time. */
  Running open(URI uri, int callers);

  /** A client that runs. */
  interface Running extends AutoCloseable {

    /**
     * Makes one call and reads its response to the end.
     *
     * @throws Exception if the call fails, or is not answered with success
     */
    void call() throws Exception;

    @Override
    void close();
  }
}
