package io.heddle.jetty;

import io.heddle.core.Deadline;
import io.heddle.core.DeclaredLength;
import io.heddle.core.Exchange;
import io.heddle.core.ResponseBodyPipe;
import java.io.EOFException;
import java.io.InputStream;
import java.nio.channels.AsynchronousCloseException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.InputStreamResponseListener;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.client.transport.HttpResponse;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.IO;
import org.jspecify.annotations.Nullable;

/**
 * A response whose body is read from an {@link InputStream} as it arrives. Replaces {@link
 * InputStreamResponseListener}:
 *
 * <pre>{@code
 * try (BlockingResponseListener listener = new BlockingResponseListener()) {
 *   client.newRequest(uri).timeout(30, TimeUnit.SECONDS).send(listener);
 *   Response response = listener.get(5, TimeUnit.SECONDS);
 *   readFrom(listener.getInputStream());
 * }
 * }</pre>
 *
 * <p>Each of these aborts the exchange, and frees its connection or stream at once: a {@link #get}
 * that times out or is interrupted, a read that is interrupted or meets the request's total
 * timeout, and a close before the end. An interrupted read throws {@link
 * java.io.InterruptedIOException} and keeps the interrupt flag. After the total timeout a read
 * throws {@link io.heddle.DeadlineExceededException}.
 *
 * <p>About 64 KiB of the body are buffered; then the server is held back. For a reader that keeps
 * up, the buffer grows to at most 256 KiB. One thread may read at a time. A listener serves one
 * request.
 *
 * <p>You may extend this class, as you may Jetty's. An override must call the method that it
 * overrides.
 */
public class BlockingResponseListener extends InputStreamResponseListener {

  // caller                             Jetty's threads, each after the other
  //   sentBy                           onBegin: either aborts what was abandoned before it came
  //   get    ◀── head, or failure ───  onHeaders; onContent, onSuccess if that told none; fail
  //   read   ◀── bytes ──────────────  onContent: asks for more at once, or leaves `demander`
  //          ─── demand ────────────▶  if the window is full: the reader asks, at half of it
  //   read   ◀── end, or failure ────  onSuccess, if the request is sent; onComplete; fail
  //   await  ◀── result ─────────────  onComplete, fail: the first of them
  //   abort  ─── cause ─────────────▶  the request, or the response of a client of another class
  //
  // To abort come: a caller that gives up in get, await or read, or closes before the end; a client
  // that stops. What had completed before stays: the head can be got, a whole body be read.

  static final int WINDOW = 64 * 1024;

  private static final int MOST_WINDOW = 256 * 1024;

  private final JettyExchange head = new JettyExchange(this::abort);
  private final Exchange<Result> whole = new Exchange<>();
  private final ResponseBodyPipe pipe =
      new ResponseBodyPipe(
          WINDOW,
          MOST_WINDOW,
          1024,
          bytes -> demandMore(),
          () -> abort(new AsynchronousCloseException()));
  private final InputStream stream = new JettyResponseBody(pipe, head::deadline);

  // Jetty's threads, each after the other.
  private DeclaredLength length = new DeclaredLength(-1);

  /**
   * Whether Jetty has had the response and now tells of it, from the head to its end: a challenge
   * that is not taken up. If that is since the user's authentication has thrown, it ends with that.
   */
  private boolean answeredWhole;

  // What asks Jetty for more, while the window is full; taken by the one who runs it.
  private final AtomicReference<@Nullable Runnable> demander = new AtomicReference<>();

  // Written by Jetty's threads, read by who abandons.
  private volatile @Nullable Response response;

  // Written by who abandons; read by the thread that sends, and by Jetty's as a response begins.
  private volatile @Nullable Throwable abandoned;

  // By the first caller that asks for the stream.
  private final AtomicBoolean streamTaken = new AtomicBoolean();

  /** Creates a listener for one request. */
  public BlockingResponseListener() {}

  // ---- caller -------------------------------------------------------------------------------

  /** The call that this listener waits for, before it is sent; aborts it if nobody waits. */
  void sentBy(JettyCall call) {
    head.sentBy(call);
    head.body(pipe);
    Throwable cause = abandoned; // after the first line: who abandons sees the call, or is seen
    if (cause != null) {
      call.request().giveUp(cause);
    }
  }

  /**
   * Waits for the head of the response.
   *
   * @param timeout zero or less to not wait at all
   * @throws TimeoutException if the head does not arrive in this time; the request is aborted
   * @throws InterruptedException if the caller is interrupted before the head arrives; the request
   *     is aborted, and the flag is cleared
   * @throws ExecutionException if there will be no head. The cause is what Jetty reports; a {@link
   *     TimeoutException} if the request's total timeout passed
   * @throws IllegalStateException if another thread waits, or on an {@link io.heddle.IoThread}
   */
  @Override
  public Response get(long timeout, TimeUnit unit)
      throws InterruptedException, TimeoutException, ExecutionException {
    Deadline patience = Deadline.afterNanos(Math.max(0, unit.toNanos(timeout)));
    try {
      return head.await(patience);
    } catch (TimeoutException e) {
      if (head.deadline().isExpired() && !patience.isExpired()) {
        throw new ExecutionException(e);
      }
      throw e;
    }
  }

  /**
   * Waits for the end of the request and the response. Does not abort the exchange on timeout.
   *
   * @param timeout zero or less to not wait at all
   * @throws TimeoutException if the exchange does not end in this time
   * @throws InterruptedException if the caller is interrupted; the request is aborted, and the flag
   *     is cleared
   * @throws IllegalStateException if another thread waits, or on an {@link io.heddle.IoThread}
   */
  @Override
  public Result await(long timeout, TimeUnit unit) throws InterruptedException, TimeoutException {
    try {
      if (!whole.awaitDone(Deadline.afterNanos(Math.max(0, unit.toNanos(timeout))))) {
        throw new TimeoutException("the exchange has not ended within " + timeout + " " + unit);
      }
      return whole.await(Deadline.none());
    } catch (InterruptedException e) {
      abort(e);
      throw e;
    } catch (ExecutionException e) {
      throw new AssertionError("a result is never brought as a failure", e);
    }
  }

  /** Returns the body at the first call, and a closed stream at each further call. */
  @Override
  public InputStream getInputStream() {
    if (streamTaken.compareAndSet(false, true)) {
      return stream;
    }
    InputStream closed = InputStream.nullInputStream();
    IO.close(closed);
    return closed;
  }

  /** Abandons the rest of the response: aborts the exchange, unless it has ended. */
  @Override
  public void close() {
    pipe.close();
  }

  // ---- what Jetty tells ---------------------------------------------------------------------

  @Override
  public void onBegin(Response response) {
    this.response = response;
    Throwable cause = abandoned; // after the line above: who abandons sees it, or is seen
    if (cause != null) {
      JettyExchange.unheeded(response.abort(cause));
    }
  }

  @Override
  public void onHeaders(Response response) {
    length = JettyResponses.declaredLength(response);
    answeredWhole = response instanceof ContentResponse;
    if (!answeredWhole && !JettyResponses.isFollowed(response)) {
      answered(response);
    }
    JettyResponses.hurryUpload(response);
  }

  /**
   * A redirect to somewhere that Jetty does not follow is no answer yet: Jetty tells it, and at
   * once what has become of it. It may have failed to send the next request.
   */
  private void answered(Response response) {
    if (!head.isDone()) {
      head.head(response);
      head.complete(response);
    }
  }

  @Override
  public void onContent(Response response, Content.Chunk chunk, Runnable demander) {
    if (!answeredWhole) {
      answered(response);
    }
    if (length.admits(chunk.remaining())) {
      pipe.offer(chunk.getByteBuffer());
    }
    if (pipe.available() < pipe.window()) {
      demander.run();
      return;
    }
    this.demander.set(demander);
    if (pipe.available() < pipe.window()) { // the reader was here before it could see this
      demandMore();
    }
  }

  private void demandMore() {
    Runnable next = demander.getAndSet(null);
    if (next != null) {
      next.run();
    }
  }

  /** As long as its request is under way, the connection is not free: see onComplete. */
  @Override
  public void onSuccess(Response response) {
    answered(response);
    if (!JettyResponses.isSent(response.getRequest())) {
      end(response);
    }
    JettyResponses.endUpload(response);
  }

  @Override
  public void onFailure(Response response, Throwable failure) {
    if (answeredWhole || !head.judge(failure)) {
      fail(failure);
    }
  }

  /** By now the connection can serve the next call, which a reader at the end may make at once. */
  @Override
  public void onComplete(Result result) {
    Throwable failure = JettyResponses.responseFailure(result, head.isDone());
    if (failure == null) {
      end(result.getResponse());
    } else if (head.resend(failure)) {
      return;
    } else {
      fail(failure);
    }
    head.ended();
    whole.complete(result);
  }

  private void end(Response response) {
    EOFException lack = JettyResponses.lackOf(length, response);
    if (lack == null) {
      pipe.end();
    } else {
      pipe.fail(lack);
    }
  }

  /** The response will not come, or not to its end. */
  void fail(Throwable failure) {
    Throwable first = head.first(failure);
    head.failUnasked(first);
    pipe.fail(first);
    head.ended();
    JettyRequest sender = head.request();
    if (sender != null) { // as Jetty reports a request that it could not send
      whole.complete(new Result(sender, first, new HttpResponse(sender), null));
    }
  }

  private void abort(Throwable cause) {
    abandoned = cause;
    JettyRequest sender = head.request();
    Response begun = response;
    if (sender != null) {
      sender.giveUp(cause);
    } else if (begun != null) { // sent by a client of another class
      JettyExchange.unheeded(begun.abort(cause));
    }
    pipe.fail(cause);
  }
}
