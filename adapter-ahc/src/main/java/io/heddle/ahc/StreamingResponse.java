package io.heddle.ahc;

import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.InputStream;
import org.asynchttpclient.HttpResponseStatus;
import org.asynchttpclient.uri.Uri;
import org.jspecify.annotations.Nullable;

/**
 * A response whose head has arrived, and whose body is read as it arrives. One thread at a time may
 * use it. Always {@link #close} it:
 *
 * <pre>{@code
 * try (StreamingResponse response = client.stream(request)) {
 *   if (response.getStatusCode() == 200) {
 *     response.getBodyAsStream().transferTo(file);
 *   }
 * }
 * }</pre>
 *
 * <p>While the caller does not read, the server is held back: at most {@value
 * AhcResponseBody#WINDOW} bytes wait here, and on HTTP/2 also as much as the stream's window
 * allows.
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

  /** Returns the status code. */
  public int getStatusCode() {
    return status.getStatusCode();
  }

  /** Returns the reason phrase; empty on HTTP/2. */
  public String getStatusText() {
    return status.getStatusText();
  }

  /** Returns the status line, with the protocol version and the addresses of both ends. */
  public HttpResponseStatus getStatus() {
    return status;
  }

  /** Returns the URI that the response came from, after redirects. */
  public Uri getUri() {
    return status.getUri();
  }

  /** Returns all header fields. */
  public HttpHeaders getHeaders() {
    return headers;
  }

  /** Returns the first header field of this name, ignoring case; null if there is none. */
  public @Nullable String getHeader(CharSequence name) {
    return headers.get(name);
  }

  /**
   * Returns the body: the same stream at each call, empty if there is no body.
   *
   * <p>A read throws:
   *
   * <ul>
   *   <li>{@link io.heddle.DeadlineExceededException} when the call's deadline passes
   *   <li>{@link java.net.SocketTimeoutException} when AHC's read timeout passes
   *   <li>{@link java.io.InterruptedIOException} on interrupt; the flag stays set
   *   <li>{@link java.net.SocketException} or another {@link java.io.IOException} when the body
   *       ends early, at that read and at each further one
   * </ul>
   */
  public InputStream getBodyAsStream() {
    return body;
  }

  /** Returns the trailer fields after the body has been read to its end; before that, none. */
  public HttpHeaders getTrailers() {
    HttpHeaders known = trailers;
    return known == null ? EmptyHttpHeaders.INSTANCE : known;
  }

  /**
   * Abandons the rest of the response. On HTTP/2 this resets the stream. On HTTP/1.1 it closes the
   * connection, unless the rest is short and has arrived. Closing again does nothing. Does not
   * fail.
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
