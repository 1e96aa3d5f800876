package io.heddle.bench.contestants;

import java.net.URI;

/**
 * A client to measure: a library, the way in which it is used, and the wire.
 *
 * <p>What it opens is either {@link Blocking} or {@link Async}. Nothing stands between the loop
 * that calls and the library's own interface: a blocking client is called on a thread of the
 * loop's, an asynchronous one has the loop's {@link Outcome} in its native callback.
 */
public interface Contestant {

  Library library();

  Mode mode();

  Wire wire();

  /** What a table calls it. */
  default String name() {
    return library().label() + " " + mode().suffix() + ", " + wire();
  }

  /** Whether it is one of ours: then a pin fails the run. */
  default boolean isOurs() {
    return mode() == Mode.HEDDLE;
  }

  /** Makes the client, for so many callers at a time. */
  Running open(Ask ask, int callers);

  /** Makes the client, to get this. */
  default Running open(URI uri, int callers) {
    return open(Ask.get(uri), callers);
  }

  /** A client that runs. */
  sealed interface Running extends AutoCloseable permits Blocking, Async {

    @Override
    void close();
  }

  /** A client whose calls wait. */
  non-sealed interface Blocking extends Running {

    /**
     * Makes one call and reads its response to the end.
     *
     * @throws Exception if the call fails, or is not answered with success
     */
    void call() throws Exception;
  }

  /** A client whose calls end in a callback. */
  non-sealed interface Async extends Running {

    /**
     * Starts one call. The outcome is told on any thread, this one too, once the response has been
     * read to its end.
     *
     * @throws Exception if the call cannot start; then the outcome is not told
     */
    void start(Outcome outcome) throws Exception;
  }

  /** Is told how a call ended, once. It does not wait. */
  public interface Outcome {
    void succeeded();

    void failed(Throwable failure);

    /** Is told by a response's status. */
    default void answered(int status) {
      if (status / 100 == 2) {
        succeeded();
      } else {
        failed(new BadStatusException(status));
      }
    }
  }
}
