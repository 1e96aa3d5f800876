package io.heddle.jdk;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * The client's response, with what the user makes of its body.
 *
 * @param <T> what that is
 */
final class JdkResponse<T> implements HttpResponse<T> {

  private static final @Nullable MethodHandle LABEL = label();

  private final int statusCode;
  private final Optional<String> connectionLabel;
  private final HttpRequest request;
  private final Optional<HttpResponse<T>> previousResponse;
  private final HttpHeaders headers;
  private final @Nullable T body;
  private final Optional<SSLSession> sslSession;
  private final URI uri;
  private final HttpClient.Version version;

  /**
   * A response.
   *
   * @param head is not kept, for its body keeps what brought it
   */
  JdkResponse(HttpResponse<?> head, @Nullable T body) {
    this.statusCode = head.statusCode();
    this.connectionLabel = label(head);
    this.request = head.request();
    this.previousResponse = // of which the JDK keeps no body
        head.previousResponse().map(each -> new JdkResponse<>(each, null));
    this.headers = head.headers();
    this.body = body;
    this.sslSession = head.sslSession();
    this.uri = head.uri();
    this.version = head.version();
  }

  private static @Nullable MethodHandle label() {
    try {
      return MethodHandles.publicLookup()
          .findVirtual(
              HttpResponse.class, "connectionLabel", MethodType.methodType(Optional.class));
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  @SuppressWarnings("unchecked") // its return type
  private static Optional<String> label(HttpResponse<?> head) {
    try {
      return LABEL == null ? Optional.empty() : (Optional<String>) LABEL.invoke(head);
    } catch (Throwable t) {
      throw new AssertionError("a getter that throws nothing", t);
    }
  }

  @Override
  public int statusCode() {
    return statusCode;
  }

  /** An override from JDK 25 on. */
  public Optional<String> connectionLabel() {
    return connectionLabel;
  }

  @Override
  public HttpRequest request() {
    return request;
  }

  @Override
  public Optional<HttpResponse<T>> previousResponse() {
    return previousResponse;
  }

  @Override
  public HttpHeaders headers() {
    return headers;
  }

  @Override
  @SuppressWarnings("NullAway") // it may be null
  public T body() {
    return body;
  }

  @Override
  public Optional<SSLSession> sslSession() {
    return sslSession;
  }

  @Override
  public URI uri() {
    return uri;
  }

  @Override
  public HttpClient.Version version() {
    return version;
  }

  /** As the JDK's. */
  @Override
  public String toString() {
    return "(" + request.method() + " " + request.uri() + ") " + statusCode;
  }
}
