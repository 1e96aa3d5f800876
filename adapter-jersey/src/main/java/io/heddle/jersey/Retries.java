package io.heddle.jersey;

import jakarta.ws.rs.core.MediaType;
import org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/**
 * Apache's own retries, except that a response always reaches who asks for server-sent events. A
 * {@code SseEventSource} itself connects again after a 503, once the time of its {@code
 * Retry-After} is over, and its {@code open()} returns before that. Apache would wait that time
 * within {@code open()}. A connection that fails before the response is tried again as for any
 * other request.
 */
final class Retries extends DefaultHttpRequestRetryStrategy {

  @Override
  public boolean retryRequest(HttpResponse response, int count, HttpContext context) {
    return !isForEvents(HttpClientContext.cast(context).getRequest())
        && super.retryRequest(response, count, context);
  }

  private static boolean isForEvents(@Nullable HttpRequest request) {
    if (request == null) { // not sent: the proxy has refused its CONNECT
      return false;
    }
    Header accept = request.getFirstHeader(HttpHeaders.ACCEPT);
    return accept != null && accept.getValue().startsWith(MediaType.SERVER_SENT_EVENTS);
  }
}
