package io.heddle.ahc;

import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.InputStream;
import org.asynchttpclient.HttpResponseStatus;
import org.asynchttpclient.uri.Uri;
import org.jspecify.annotations.Nullable;

/**
 * A response of which the head is here, and whose body is read as it comes. One thread at a time;
 * {@link #close} it, whatever happened:
 *
 * <pre>{@code
 * try (StreamingResponse response = client.stream(request)) {
 *   if (response.getStatusCode() == 200) {
 *     response.getBodyAsStream().transferTo(file);
 *   }
 * }
 * }</pre>
 *
 * <p>The server is held back while the caller does not read: at most {@value
 * AhcResponseBody#WINDOW} bytes wait here, on HTTP/2 also what the window of the stream allows.
 */
public final class StreamingResponse implements AutoCloseable {

  private final HttpResponseStatus status;
  private final HttpHeaders headers;
  private final AhcResponseBody body;

  // Written by the event loop before the body ends.
  private volatile @Nullable HttpHeaders trailers;

  StreamingResponse(HttpResponseStatus status, HttpHeaders headers, AhcResponseBody body) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  /** The status code. */
  public int getStatusCode() {
    return status.getStatusCode();
  }

  /** The words after the status code; empty on HTTP/2. */
  public String getStatusText() {
    return status.getStatusText();
  }

  /** The status line, with the version of the protocol and the addresses of both ends. */
  public HttpResponseStatus getStatus() {
    return status;
  }

  /** Where the response came from: after redirects, not where the request went first. */
  public Uri getUri() {
    return status.getUri();
  }

  /** All fields of the head. */
  public HttpHeaders getHeaders() {
    return headers;
  }

  /** The first field of this name, in any case; null if there is none. */
  public @Nullable String getHeader(CharSequence name) {
    return headers.get(name);
  }

  /**
   * The body, the same stream at each call, empty if there is none.
   *
   * <p>A read waits for bytes at most until the call's deadline, which fails it with {@link
   * io.heddle.DeadlineExceededException}; AHC's read timeout fails it with {@link
   * java.net.SocketTimeoutException}; an interrupt with {@link java.io.InterruptedIOException}, the
   * flag then kept. A body that ends early fails with a {@link java.net.SocketException} or another
   * {@link java.io.IOException}, at that read and at each further one.
   */
  public InputStream getBodyAsStream() {
    return body;
  }

  /** The trailer fields, once the body has been read to its end; before that, none. */
  public HttpHeaders getTrailers() {
    HttpHeaders known = trailers;
    return known == null ? EmptyHttpHeaders.INSTANCE : known;
  }

  /**
   * Gives up what is left of the response. On HTTP/2 that resets the stream. On HTTP/1.1 it ends
   * the connection, unless the rest is short and here. Any number of times; does not fail.
   */
  @Override
  public void close() {
    body.close();
  }

  void trailers(HttpHeaders fields) {
    trailers = fields;
  }

  AhcResponseBody body() {
    return body;
  }

  @Override
  public String toString() {
    return "StreamingResponse[" + status + "]";
  }
}
