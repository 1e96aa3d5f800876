package io.heddle.core;

/**
 * Tells a library that more of a response body may come: a window update, a selector's interest, a
 * {@code request(n)}.
 */
@FunctionalInterface
public interface Demand {

  /**
   * Lets so many more bytes come. Called by the thread that reads the body; must not wait.
   *
   * @param bytes more than 0
   */
  void request(int bytes);
}
