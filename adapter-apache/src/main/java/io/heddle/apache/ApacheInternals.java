package io.heddle.apache;

import java.lang.reflect.Field;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
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

  private ApacheInternals() {}

  /** Whether the builder is to heed system properties; false if it does not tell. */
  static boolean usesSystemProperties(HttpClientBuilder builder) {
    try {
      return SYSTEM_PROPERTIES != null && SYSTEM_PROPERTIES.getBoolean(builder);
    } catch (IllegalAccessException e) {
      return false;
    }
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
