package io.heddle.ahc;

import io.netty.handler.codec.http.HttpHeaderNames;
import java.io.File;
import java.time.Duration;
import org.asynchttpclient.Request;
import org.asynchttpclient.RequestBuilderBase;
import org.asynchttpclient.request.body.generator.BodyGenerator;
import org.jspecify.annotations.Nullable;

/** Copies of a request that differ in one thing. */
final class Requests {

  /** Leaves the URI as it is; {@link Request#toBuilder} encodes it once more. */
  private static final class Copy extends RequestBuilderBase<Copy> {
    Copy(Request request) {
      super(request, true, false);
    }
  }

  private Requests() {}

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

  /** With this much time for all of it. */
  static Request with(Request request, Duration requestTimeout) {
    return new Copy(request).setRequestTimeout(requestTimeout).build();
  }
}
