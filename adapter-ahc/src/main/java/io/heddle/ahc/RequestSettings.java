package io.heddle.ahc;

import io.heddle.core.Deadline;
import java.time.Duration;
import org.asynchttpclient.AsyncHttpClientConfig;
import org.asynchttpclient.Request;
import org.jspecify.annotations.Nullable;

/** How long a request may take: what the configuration says where the request says nothing. */
final class RequestSettings {

  /** A longer time has no place in the engine's timer. */
  private static final Duration LONG = Duration.ofDays(10_000);

  private static final Duration ENGINES_NONE = Duration.ofMillis(-1);

  private final AsyncHttpClientConfig config;

  RequestSettings(AsyncHttpClientConfig config) {
    this.config = config;
  }

  /** In ms; 0 or less for none. */
  long readTimeoutMillis(Request request) {
    Duration own = request.getReadTimeout();
    return (own == null || own.isZero() ? config.getReadTimeout() : own).toMillis();
  }

  /** AHC's request timeout, from now on. */
  Deadline deadline(Request request) {
    Duration timeout = timeout(request);
    return timeout.isZero() || timeout.isNegative() ? Deadline.none() : Deadline.after(timeout);
  }

  private Duration timeout(Request request) {
    Duration own = request.getRequestTimeout();
    return own == null || own.isZero() ? config.getRequestTimeout() : own;
  }

  /** The request, with this in place of the engine's request timeout, if that would come before. */
  Request withTime(Request request, @Nullable Duration timeout) {
    if (timeout == null) {
      return request;
    }
    Duration engines = timeout(request);
    if (engines.isNegative() || engines.compareTo(timeout) > 0) {
      return request;
    }
    return Requests.with(
        request,
        timeout.compareTo(LONG) > 0 ? ENGINES_NONE : timeout.plusSeconds(1)); // ours is more exact
  }
}
