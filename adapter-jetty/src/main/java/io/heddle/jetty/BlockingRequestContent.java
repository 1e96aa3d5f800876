package io.heddle.jetty;

import io.heddle.core.Deadline;
import io.heddle.core.Waiter;
import java.io.OutputStream;
import java.nio.channels.AsynchronousCloseException;
import org.eclipse.jetty.client.OutputStreamRequestContent;
import org.eclipse.jetty.io.Content;
import org.jspecify.annotations.Nullable;

/**
 * A request body that a thread writes to an {@link OutputStream}. The thread blocks while the
 * server does not accept more. Replaces {@link OutputStreamRequestContent}:
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
 * <p>A write that is interrupted, or meets the request's total timeout, aborts the request, so the
 * server never takes a cut body for a whole one. The write throws {@link
 * java.io.InterruptedIOException} and keeps the interrupt flag, or throws {@link
 * io.heddle.DeadlineExceededException}. A writer that stops for its own reason must call {@link
 * #fail} before it closes the stream.
 *
 * <p>If the server answers with an error before the end of the body, the next write fails with an
 * {@link java.io.IOException}, and the response can be read. If the exchange fails, so does the
 * next write.
 *
 * <p>At most 64 KiB are buffered, so start the request before you write more. Each write is sent as
 * soon as the connection has room. One thread may write at a time.
 *
 * <p>You may extend this class, as you may Jetty's. An override must call the method that it
 * overrides.
 */
public class BlockingRequestContent extends OutputStreamRequestContent {

  private final JettyRequestBody body = new JettyRequestBody(this::deadline, this::abort);
  private final OutputStream stream = body.new Stream();

  // Set by the thread that gives this to a request.
  private volatile @Nullable JettyRequest request;

  /** Creates a body of the content type {@code application/octet-stream}. */
  public BlockingRequestContent() {}

  /** Creates a body of this content type. */
  public BlockingRequestContent(String contentType) {
    super(contentType);
  }

  /** The request that sends this body, or the first of several in a conversation. */
  void sentBy(JettyRequest sender) {
    if (request == null) {
      request = sender;
    }
  }

  /** Where its writer waits. */
  Waiter pipe() {
    return body.pipe();
  }

  /** The server has answered with an error: the writer goes on while the server takes bytes. */
  void answered() {
    body.answered();
  }

  /** Returns the stream to write to, the same at each call. Closing it ends the body. */
  @Override
  public OutputStream getOutputStream() {
    return stream;
  }

  /**
   * Returns the length in bytes if the whole body was written before the request was sent;
   * otherwise −1.
   */
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

  /** Fails the body: the request fails with this exception, and so does the next write. */
  @Override
  public void fail(Throwable failure) {
    body.fail(failure);
  }

  /** Ends the body, like closing its stream. */
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
