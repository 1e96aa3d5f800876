package io.heddle.jetty;

import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.util.Objects;
import org.eclipse.jetty.client.CompletableResponseListener;
import org.eclipse.jetty.client.ContentSourceRequestContent;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.InputStreamRequestContent;
import org.eclipse.jetty.client.MultiPartRequestContent;
import org.eclipse.jetty.client.PathRequestContent;
import org.eclipse.jetty.client.PathResponseListener;
import org.eclipse.jetty.client.SPNEGOAuthentication;
import org.eclipse.jetty.http.HttpCookieStore;
import org.jspecify.annotations.Nullable;

/**
 * Tells code that may block from code that does not: Jetty's own listeners, bodies, cookie stores
 * and authentications, and ours, only look and signal. All other may do what it likes.
 */
final class UserCode {

  /**
   * Jetty's own that complete a future with whatever hangs on it, read or write files, ask servers,
   * or read streams of the user's.
   */
  private static final Class<?>[] BLOCKING = {
    CompletableResponseListener.class,
    PathResponseListener.class,
    SPNEGOAuthentication.class,
    InputStreamRequestContent.class,
    PathRequestContent.class,
    MultiPartRequestContent.class,
    ContentSourceRequestContent.class
  };

  private static final ClassValue<Boolean> MAY_BLOCK =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          for (Class<?> each : BLOCKING) {
            if (each.isAssignableFrom(type)) {
              return true;
            }
          }
          // By where it was loaded from: a package name is free for everybody to use.
          return !isFromWhere(UserCode.class, type)
              && !isFromWhere(HttpClient.class, type)
              && !isFromWhere(HttpCookieStore.class, type);
        }
      };

  private UserCode() {}

  /** Whether this must not run on an I/O thread. */
  static boolean mayBlock(@Nullable Object code) {
    return code != null && MAY_BLOCK.get(code.getClass());
  }

  private static boolean isFromWhere(Class<?> known, Class<?> type) {
    return Objects.equals(known.getClassLoader(), type.getClassLoader())
        && Objects.equals(source(known), source(type));
  }

  private static @Nullable Object source(Class<?> type) {
    ProtectionDomain domain = type.getProtectionDomain();
    CodeSource source = domain == null ? null : domain.getCodeSource();
    return source == null ? type.getPackageName() : source.getLocation();
  }
}
