package io.heddle.jetty;

import io.heddle.core.DeclaredLength;
import java.io.EOFException;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.jspecify.annotations.Nullable;

/** What a response says of its request, and whether its body is whole, beside what Jetty tells. */
final class JettyResponses {

  private JettyResponses() {}

  /** Whether the server has refused the request before all of its body was sent. */
  static boolean isRefusal(Response response) {
    Request request = response.getRequest();
    return response.getStatus() >= 400 && request.getBody() != null && !isSent(request);
  }

  /** Tells a writer who still uploads that the server has answered with an error. */
  static void hurryUpload(Response response) {
    if (isRefusal(response)
        && response.getRequest().getBody() instanceof BlockingRequestContent content) {
      content.answered();
    }
  }

  /** Ends an upload that the server has refused, now that its response is there. */
  static void endUpload(Response response) {
    if (isRefusal(response)) {
      JettyExchange.unheeded(response.getRequest().fail(new JettyRequestBody.NoMoreWanted()));
    }
  }

  /** Whether the request has been sent to its end, so that nothing but the response is to come. */
  static boolean isSent(Request request) {
    return request.getBody() == null || (request instanceof JettyRequest jetty && jetty.isSent());
  }

  /** Whether Jetty follows it, if it can: unless the user has taken its handler away. */
  static boolean isRedirect(Response response) {
    return response.getRequest().isFollowRedirects()
        && JettyInternals.isRedirect(response.getStatus())
        && !(response.getRequest() instanceof JettyRequest jetty && !jetty.isHandled(response));
  }

  /** Whether Jetty has tried to follow it: it knew where to. */
  static boolean isFollowed(Response response) {
    return isRedirect(response) && response.getHeaders().contains(HttpHeader.LOCATION);
  }

  /**
   * How long the head says that the body is, before any decoding. Jetty takes a stream of HTTP/2
   * for ended well if it was reset between the arrival of its last bytes and their reading.
   *
   * <p>A redirect that cannot be followed comes without its body: Jetty has read that, and drops
   * it. So does the page of a challenge, if it is too long.
   */
  static DeclaredLength declaredLength(Response response) {
    return new DeclaredLength(
        hasNoBody(response) ? -1 : response.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH));
  }

  private static boolean hasNoBody(Response response) {
    Request request = response.getRequest();
    int status = response.getStatus();
    return HttpMethod.HEAD.is(request.getMethod())
        || status == 204
        || status == 304
        || isRedirect(response)
        || (request instanceof JettyRequest jetty && jetty.isBodyDropped());
  }

  /**
   * What is wrong with the body of a response that has come to its end by Jetty's account: it is
   * not as long as it was told to be; or nobody has told, and its stream has failed with the end
   * already there. Of that stream's body Jetty drops what was not read yet, and keeps the end.
   *
   * @return null if it is whole
   */
  static @Nullable EOFException lackOf(DeclaredLength length, Response response) {
    if (!length.isReached()) {
      return new EOFException(length.toString());
    }
    return length.declared() < 0
            && !hasNoBody(response)
            && response.getRequest() instanceof JettyRequest jetty
            && isSent(jetty)
            && jetty.hasLostStream()
        ? new EOFException("the connection has ended before the body was read")
        : null;
  }

  /** What of a result has kept the response from arriving whole; null if nothing has. */
  static @Nullable Throwable responseFailure(Result result, boolean headArrived) {
    // A response that is there is not lost to an upload that broke after it.
    return headArrived ? result.getResponseFailure() : result.getFailure();
  }
}
