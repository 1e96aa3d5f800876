package io.heddle.spring.boot;

import io.heddle.DeadlineExceededException;
import io.heddle.jetty.BlockingRequestContent;
import io.heddle.jetty.BlockingResponseListener;
import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.AbstractStreamingClientHttpRequest;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.util.StreamUtils;

/**
 * A request of Spring's over Jetty, whose caller writes the body and reads the response by Heddle's
 * two classes: who gives up, aborts. One thread executes it and reads its response.
 */
final class JettyFactoryRequest extends AbstractStreamingClientHttpRequest {

  private static final int BUFFER = 8 * 1024;

  private final Request request;
  private final long readTimeoutMillis;
  private final long deadlineNanos;

  /** When it was sent. */
  private long sentAt;

  /**
   * Creates a request.
   *
   * @param deadlineNanos what makes a timeout one of the deadline's; {@link Long#MAX_VALUE} for
   *     none
   */
  JettyFactoryRequest(Request request, long readTimeoutMillis, long deadlineNanos) {
    this.request = request;
    this.readTimeoutMillis = readTimeoutMillis;
    this.deadlineNanos = deadlineNanos;
  }

  @Override
  public HttpMethod getMethod() {
    return HttpMethod.valueOf(request.getMethod());
  }

  @Override
  public URI getURI() {
    return request.getURI();
  }

  @Override
  protected ClientHttpResponse executeInternal(HttpHeaders headers, @Nullable Body body)
      throws IOException {
    request.headers(
        fields ->
            headers.forEach((name, values) -> values.forEach(each -> fields.add(name, each))));
    BlockingResponseListener listener = new BlockingResponseListener();
    sentAt = System.nanoTime();
    if (body == null) {
      request.send(listener);
    } else {
      String type = headers.getFirst(HttpHeaders.CONTENT_TYPE);
      BlockingRequestContent content =
          type == null ? new BlockingRequestContent() : new BlockingRequestContent(type);
      request.body(content).send(listener);
      write(body, content);
    }
    return new Answer(head(listener), listener);
  }

  /**
   * A failure of the wire is not told here: there may be an answer; if not, {@link #head} tells.
   */
  private static void write(Body body, BlockingRequestContent content) throws IOException {
    Wire wire = new Wire(content.getOutputStream());
    try {
      OutputStream out = new BufferedOutputStream(wire, BUFFER);
      body.writeTo(StreamUtils.nonClosing(out));
      out.close();
    } catch (IOException | RuntimeException | Error e) {
      if (wire.failed && e instanceof IOException && !(e instanceof InterruptedIOException)) {
        return;
      }
      content.fail(e);
      throw e;
    }
  }

  private Response head(BlockingResponseListener listener) throws IOException {
    try {
      return listener.get(readTimeoutMillis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw caused(new InterruptedIOException("interrupted while waiting for the response"), e);
    } catch (TimeoutException e) {
      throw timedOut(e);
    } catch (ExecutionException e) {
      throw failure(Objects.requireNonNullElse(e.getCause(), e));
    }
  }

  /** What Spring's own factory throws for this cause, but for timeouts. */
  private IOException failure(Throwable cause) {
    return switch (cause) {
      case UncheckedIOException unchecked ->
          Objects.requireNonNullElseGet(unchecked.getCause(), () -> new IOException(unchecked));
      case RuntimeException runtime -> throw runtime;
      case IOException io -> io;
      case TimeoutException timeout -> timedOut(timeout);
      default -> new IOException(cause.getMessage(), cause);
    };
  }

  private IOException timedOut(TimeoutException e) {
    String message = "Request timed out: " + e.getMessage();
    boolean over = System.nanoTime() - sentAt >= deadlineNanos;
    return caused(
        over ? new DeadlineExceededException(message) : new SocketTimeoutException(message), e);
  }

  private static <E extends IOException> E caused(E exception, Throwable cause) {
    exception.initCause(cause);
    return exception;
  }

  /** Tells a failure of the connection from one of the body's writer. */
  private static final class Wire extends FilterOutputStream {
    boolean failed;

    Wire(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      boolean done = false;
      try {
        out.write(bytes, offset, length);
        done = true;
      } finally {
        failed |= !done;
      }
    }
  }

  private static final class Answer implements ClientHttpResponse {
    private final Response response;
    private final BlockingResponseListener listener;
    private final InputStream body;
    private final HttpHeaders headers = new HttpHeaders();

    Answer(Response response, BlockingResponseListener listener) {
      this.response = response;
      this.listener = listener;
      this.body = listener.getInputStream();
      response.getHeaders().forEach(field -> headers.add(field.getName(), field.getValue()));
    }

    @Override
    public HttpStatusCode getStatusCode() {
      return HttpStatusCode.valueOf(response.getStatus());
    }

    @Override
    public String getStatusText() {
      return Objects.requireNonNullElse(response.getReason(), "");
    }

    @Override
    public HttpHeaders getHeaders() {
      return headers;
    }

    @Override
    public InputStream getBody() {
      return body;
    }

    @Override
    public void close() {
      listener.close();
    }
  }
}
