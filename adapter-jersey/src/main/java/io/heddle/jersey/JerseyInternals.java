package io.heddle.jersey;

import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.core5.concurrent.Cancellable;
import org.glassfish.jersey.client.ClientRequest;
import org.jspecify.annotations.Nullable;

/**
 * What the adapter knows of Jersey's Apache connector that it does not document, as seen in Jersey
 * 3.1.11. Each has a test in {@code JerseyInternalsTest}, which breaks first when Jersey changes.
 */
final class JerseyInternals {

  private static final String REQUEST = "JerseyRequestAttribute";

  private JerseyInternals() {}

  /**
   * For which of Jersey's requests a call is made; null if Apache's client makes it itself, which
   * Jersey gives to who asks for it.
   */
  static @Nullable ClientRequest request(ExecChain.Scope call) {
    return (ClientRequest) call.clientContext.getAttribute(REQUEST);
  }

  /** What cancels such a call. */
  static Cancellable cancellable(ExecChain.Scope call) {
    return (Cancellable) call.originalRequest;
  }
}
