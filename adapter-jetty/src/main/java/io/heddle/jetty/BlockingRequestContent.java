package io.heddle.jetty;

import io.heddle.core.Deadline;
import java.io.OutputStream;
import java.nio.channels.AsynchronousCloseException;
import org.eclipse.jetty.client.OutputStreamRequestContent;
import org.eclipse.jetty.io.Content;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request, written to an {@link OutputStream} by a thread that blocks as long as the
 * server does not take more. Takes the place of {@link OutputStreamRequestContent}:
 *
 * <pre>{@code
 * BlockingRequestContent content = new BlockingRequestContent("text/plain");
 * BlockingResponseListener listener = new BlockingResponseListener();
 * client.POST(uri).body(content).send(listener);
 * try (OutputStream out = content.getOutputStream()) {
 *   writeTo(out);
 * }
 * Response response = listener.get(5, TimeUnit.SECONDS);
 * }</pre>
 *
 * <p>A write that is interrupted, or finds the request's total timeout elapsed, aborts the request:
 * the server never takes a cut body for a whole one. The writer gets {@link
 * java.io.InterruptedIOException}, with the thread's interrupt flag kept, or {@link
 * io.heddle.DeadlineExceededException}. A writer that stops for a reason of its own says so by
 * {@link #fail} before it closes the stream.
 *
 * <p>If the server answers with an error before the end of the body, the next write fails with an
 * {@link java.io.IOException}; the response is there to be read. If the exchange fails, so does the
 * next write.
 *
 * <p>At most 64 KiB wait to be sent, so the request must be on its way before more is written. Each
 * write goes out as soon as the connection has room. One thread writes at a time.
 *
 * <p>May be extended, as Jetty's may: an override calls the method that it overrides.
 */
public class BlockingRequestContent extends OutputStreamRequestContent {

  private final JettyRequestBody body = new JettyRequestBody(this::deadline, this::abort);
  private final OutputStream stream = body.new Stream();

  // Set by the thread that gives this to a request.
  private volatile @Nullable JettyRequest request;

  /** A body of the content type {@code application/octet-stream}. */
  public BlockingRequestContent() {}

  /** A body of this content type. */
  public BlockingRequestContent(String contentType) {
    super(contentType);
  }

  /** The request that sends this body, or the first of several in a conversation. */
  void sentBy(JettyRequest sender) {
    if (request == null) {
      request = sender;
    }
  }

  /** The server has answered with an error: the writer goes on while the server takes bytes. */
  void answered() {
    body.answered();
  }

  /** The stream to write to, the same at each call; closing it is the end of the body. */
  @Override
  public OutputStream getOutputStream() {
    return stream;
  }

  /** The length in bytes, if the whole body was written before the request was sent; else −1. */
  @Override
  public long getLength() {
    return body.length();
  }

  @Override
  public Content.@Nullable Chunk read() {
    return body.read();
  }

  @Override
  public void demand(Runnable demandCallback) {
    body.demand(demandCallback);
  }

  /** The body will not be completed: the request fails with this, and so does the next write. */
  @Override
  public void fail(Throwable failure) {
    body.fail(failure);
  }

  /** The body is complete, as if its stream were closed. */
  @Override
  public void close() {
    body.finish();
  }

  private Deadline deadline() {
    JettyRequest sender = request;
    return sender == null ? Deadline.none() : sender.deadline();
  }

  private void abort() {
    AsynchronousCloseException cause = new AsynchronousCloseException();
    body.fail(cause);
    JettyRequest sender = request;
    if (sender != null) {
      sender.giveUp(cause);
    }
  }
}
