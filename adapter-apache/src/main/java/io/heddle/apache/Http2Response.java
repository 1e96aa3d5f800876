package io.heddle.apache;

import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.message.BasicClassicHttpResponse;

/**
 * The head of a response over HTTP/2, where its stream says where it ends.
 *
 * <p>Apache's default reuse strategy counts the Content-Length fields, and would have no connection
 * used again after a response without one. It is told that there is one, so that a strategy which
 * does refuse, a user's, can be heeded.
 */
final class Http2Response extends BasicClassicHttpResponse {

  private static final long serialVersionUID = 1L;

  Http2Response(HttpResponse head) {
    super(head.getCode(), head.getReasonPhrase());
    setVersion(head.getVersion());
    for (Header each : head.getHeaders()) {
      addHeader(each);
    }
  }

  @Override
  public int countHeaders(String name) {
    int count = super.countHeaders(name);
    return count == 0 && HttpHeaders.CONTENT_LENGTH.equalsIgnoreCase(name) ? 1 : count;
  }
}
