package io.heddle;

import java.net.SocketTimeoutException;

/**
 * Thrown when the deadline over a whole call passes before the call ends.
 *
 * <p>Blocking calls through Apache's client and AsyncHttpClient throw it. So do reads and writes of
 * a body through Jetty's client, and reads of a stream through Jersey. Jersey's calls throw a
 * {@code ProcessingException}, and those of the JDK's client a {@code
 * java.net.http.HttpTimeoutException}, with this exception as the cause. OkHttp's calls throw
 * {@link java.io.InterruptedIOException}, and Jetty's {@code send} throws {@link
 * java.util.concurrent.TimeoutException}, as without Heddle.
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
