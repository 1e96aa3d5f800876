package io.heddle.ahc;

import io.heddle.core.Deadline;
import io.netty.handler.codec.http.HttpHeaderNames;
import java.io.File;
import java.time.Duration;
import org.asynchttpclient.AsyncHttpClientConfig;
import org.asynchttpclient.Request;
import org.asynchttpclient.RequestBuilderBase;
import org.asynchttpclient.request.body.generator.BodyGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What the engine gets in place of a request, and how long that may take: what the configuration
 * says where the request says nothing.
 */
final class Requests {

  /** A longer time has no place in the engine's timer. */
  private static final Duration LONG = Duration.ofDays(10_000);

  private static final Duration ENGINES_NONE = Duration.ofMillis(-1);

  private final AsyncHttpClientConfig config;

  /** Leaves the URI as it is; {@link Request#toBuilder} encodes it once more. */
  private static final class Copy extends RequestBuilderBase<Copy> {
    Copy(Request request) {
      super(request, true, false);
    }
  }

  Requests(AsyncHttpClientConfig config) {
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
    return new Copy(request)
        .setRequestTimeout(timeout.compareTo(LONG) > 0 ? ENGINES_NONE : timeout.plusSeconds(1))
        .build(); // ours is more exact
  }

  /**
   * With this body in place of its own.
   *
   * @param contentType that the body brings along; null if none
   */
  @SuppressWarnings("NullAway") // null takes the file away; AHC is not annotated
  static Request with(Request request, BodyGenerator body, @Nullable String contentType) {
    Copy copy = new Copy(request);
    copy.resetFormParams();
    copy.resetNonMultipartData();
    copy.resetMultipartData();
    copy.setBody((File) null).setBody(body);
    if (contentType != null) {
      copy.setHeader(HttpHeaderNames.CONTENT_TYPE, contentType);
    }
    return copy.build();
  }
}
