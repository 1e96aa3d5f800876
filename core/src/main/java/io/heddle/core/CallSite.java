package io.heddle.core;

import java.io.InterruptedIOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Shows, in the stack trace of a failure that an I/O thread made, the blocking call that waited for
 * it. The trace then reads from the cause, on the I/O thread, down to the caller's own code:
 *
 * <pre>
 * java.net.ConnectException: Connection refused
 *     at java.base/sun.nio.ch.Net.pollConnect(Native Method)
 *     at …the library's I/O thread…
 *     at ----.waited for by----(Unknown Source)
 *     at com.example.Orders.fetch(Orders.java:42)
 * </pre>
 *
 * <p>The instance stays the library's own, with its type, message and fields. So this is for a
 * failure that belongs to one caller. One instance that several callers get, such as the reset of a
 * connection that they shared, must not be changed for one of them: an adapter throws a fresh
 * exception there, with the shared one as its cause: see {@link #caused}.
 */
public final class CallSite {

  private static final StackTraceElement SEAM =
      new StackTraceElement("----", "waited for by----", null, -1);

  private CallSite() {}

  /**
   * Appends the current thread's stack to the failure's. Does nothing if that was done before, or
   * if the failure has no writable stack trace.
   *
   * @return {@code failure}
   */
  public static <T extends Throwable> T attach(T failure) {
    if (isAttached(failure)) {
      return failure;
    }
    StackTraceElement[] there = failure.getStackTrace();
    StackTraceElement[] here = new Throwable().getStackTrace();
    StackTraceElement[] both = Arrays.copyOf(there, there.length + here.length);
    both[there.length] = SEAM; // in the place of this method's own frame
    System.arraycopy(here, 1, both, there.length + 1, here.length - 1);
    failure.setStackTrace(both);
    return failure;
  }

  /**
   * Makes {@code cause} the cause of a fresh failure whose constructor takes none.
   *
   * @param cause null for none
   * @return {@code failure}
   */
  public static <T extends Throwable> T caused(T failure, @Nullable Throwable cause) {
    if (cause != null) {
      failure.initCause(cause);
    }
    return failure;
  }

  /**
   * What a method throws whose caller was interrupted, if it declares {@link java.io.IOException}
   * and not {@link InterruptedException}. Sets the current thread's flag, which the latter has
   * cleared.
   *
   * @param cause null for none
   */
  public static InterruptedIOException interrupted(String message, @Nullable Throwable cause) {
    Thread.currentThread().interrupt();
    return caused(new InterruptedIOException(message), cause);
  }

  /** Whether a caller's stack was attached to this failure before: then a caller has had it. */
  public static boolean isAttached(Throwable failure) {
    return Arrays.asList(failure.getStackTrace()).contains(SEAM);
  }
}
