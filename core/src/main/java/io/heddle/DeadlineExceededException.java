package io.heddle;

import java.net.SocketTimeoutException;

/**
 * The deadline over a whole call was over before the call was. Thrown by adapters whose synchronous
 * interface declares {@link java.io.IOException}; a {@link SocketTimeoutException}, so that code
 * which handles the library's own timeouts handles this one, and which does not retry them does not
 * retry this one.
 */
public final class DeadlineExceededException extends SocketTimeoutException {

  private static final long serialVersionUID = 1L;

  /** An exception with this message, which says what the call was doing. */
  public DeadlineExceededException(String message) {
    super(message);
  }
}
