package io.heddle.conformance;

/** A call that is ready to be executed once. */
public interface PreparedCall {

  /**
   * Executes the call on the current thread, which blocks until the head of the response is there.
   *
   * @throws Exception what the library throws, as it is
   */
  Reply execute() throws Exception;

  /** Cancels the call, from another thread: before, in or after {@link #execute()}. */
  void cancel();
}
