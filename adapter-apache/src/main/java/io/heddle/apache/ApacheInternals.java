package io.heddle.apache;

import java.lang.StackWalker.StackFrame;
import java.lang.reflect.Field;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.MainClientExec;
import org.apache.hc.client5.http.impl.classic.MinimalHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * What Heddle knows of Apache's classes beyond their documentation, each with its reason; a test
 * breaks first when Apache changes it.
 */
final class ApacheInternals {

  /**
   * {@code HttpClientBuilder.useSystemProperties()} is final and leaves a private flag, to which
   * Apache's own {@code build()} looks for TLS as well. Seen in 5.6.5.
   */
  private static final @Nullable Field SYSTEM_PROPERTIES =
      accessible(HttpClientBuilder.class, "systemProperties");

  /**
   * How often the engine of HTTP/1.1 is told that there is room for output until a request is
   * written: it takes the request from its session and writes it; then it sees that nothing is
   * left. It does both on the thread that tells it, and asks for more by {@code setEvent} alone,
   * having looked for requests after each {@code clearEvent}. A socket that does not block writes
   * what it has room for, and an interrupt of the thread that writes does not close it. Seen in
   * core 5.4, JDK 21 and 25.
   */
  static final int OUTPUTS = 2;

  private ApacheInternals() {}

  /** Whether the builder is to heed system properties; false if it does not tell. */
  static boolean usesSystemProperties(HttpClientBuilder builder) {
    try {
      return SYSTEM_PROPERTIES != null && SYSTEM_PROPERTIES.getBoolean(builder);
    } catch (IllegalAccessException e) {
      return false;
    }
  }

  /**
   * Whether the connection manager's {@code close}, which runs on this thread, was called by the
   * classic chain because an {@code Error} passes it. Nothing but the caller tells: a user's own
   * {@code close(IMMEDIATE)} is the same call, and may come from within the chain too. Seen in
   * 5.6.5.
   *
   * @param manager the class that has the {@code close}
   */
  static boolean isErrorPassing(Class<?> manager) {
    return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
        .walk(
            frames ->
                frames
                    .dropWhile(frame -> frame.getDeclaringClass() != manager)
                    .dropWhile(frame -> frame.getDeclaringClass() == manager)
                    .findFirst()
                    .filter(ApacheInternals::closesOnError)
                    .isPresent());
  }

  private static boolean closesOnError(StackFrame frame) {
    Class<?> caller = frame.getDeclaringClass();
    return caller == MainClientExec.class
        || (caller == MinimalHttpClient.class && !frame.getMethodName().equals("close"));
  }

  private static @Nullable Field accessible(Class<?> of, String name) {
    try {
      Field field = of.getDeclaredField(name);
      field.setAccessible(true);
      return field;
    } catch (NoSuchFieldException | RuntimeException e) {
      return null;
    }
  }
}
