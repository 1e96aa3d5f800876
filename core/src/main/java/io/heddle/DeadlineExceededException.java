package io.heddle;

import java.net.SocketTimeoutException;

/**
 * Thrown when the deadline over a whole call passes before the call ends, by adapters whose
 * synchronous interface declares {@link java.io.IOException}.
 *
 * <p>It is a {@link SocketTimeoutException}, so that code which handles, or does not retry, the
 * library's own timeouts treats this one alike.
 */
public final class DeadlineExceededException extends SocketTimeoutException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates an exception.
   *
   * @param message what the call was doing
   */
  public DeadlineExceededException(String message) {
    super(message);
  }
}
