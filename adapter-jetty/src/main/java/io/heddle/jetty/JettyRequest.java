package io.heddle.jetty;

import io.heddle.Deadline;
import io.heddle.IoThread;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.transport.HttpConversation;
import org.eclipse.jetty.client.transport.HttpRequest;
import org.jspecify.annotations.Nullable;

/**
 * A request whose {@link #send()} keeps Heddle's promises, as do the copies that follow a redirect
 * or a challenge.
 */
final class JettyRequest extends HttpRequest {

  private final BlockingJettyClient client;

  // Caller only, until it is sent.
  private long timeoutNanos;
  private volatile Deadline deadline = Deadline.none();
  private volatile Deadline leaseDeadline = Deadline.none();

  // Shared.
  private volatile boolean begun;
  private volatile boolean sent;
  private volatile @Nullable Consumer<Throwable> onAbort;

  JettyRequest(BlockingJettyClient client, HttpConversation conversation, URI uri) {
    super(client, conversation, uri);
    this.client = client;
  }

  @Override
  protected HttpRequest copyInstance(URI newUri) {
    return new JettyRequest(client, getConversation(), newUri);
  }

  BlockingJettyClient client() {
    return client;
  }

  // ---- caller -------------------------------------------------------------------------------

  /** Jetty counts whole milliseconds, of which zero is no timeout; a shorter timeout is one too. */
  @Override
  public Request timeout(long timeout, TimeUnit unit) {
    timeoutNanos = Math.max(0, unit.toNanos(timeout));
    long millis = unit.toMillis(timeout);
    return super.timeout(millis == 0 && timeout > 0 ? 1 : millis, TimeUnit.MILLISECONDS);
  }

  @Override
  public Request body(Request.Content content) {
    if (content instanceof BlockingRequestContent blocking) {
      blocking.sentBy(this);
    }
    return super.body(content);
  }

  @Override
  public ContentResponse send() throws InterruptedException, TimeoutException, ExecutionException {
    IoThread.forbidWaiting();
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before the request was sent");
    }
    JettyExchange<ContentResponse> exchange = new JettyExchange<>(this::giveUp);
    exchange.sentBy(this);
    WholeResponse listener = new WholeResponse(exchange, client.getMaxContentLength());
    start(exchange::fail, listener);
    try {
      return exchange.await(Deadline.none());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TimeoutException timeout) { // Jetty's scheduler was first
        throw JettyFailures.fresh(timeout);
      }
      throw e;
    }
  }

  @Override
  public void send(Response.CompleteListener listener) {
    if (listener instanceof BlockingResponseListener blocking) {
      IoThread.forbidWaiting();
      blocking.sentBy(this);
      start(blocking::fail, listener);
    } else {
      super.send(listener);
    }
  }

  /** Starts the clock, waits for a place in the destination's queue, and sends. */
  private void start(Consumer<Throwable> failer, Response.CompleteListener listener) {
    deadline = timeoutNanos == 0 ? Deadline.none() : Deadline.afterNanos(timeoutNanos);
    leaseDeadline = client.newLeaseDeadline();
    onAbort = failer;
    Throwable aborted = getAbortCause(); // after the line above: an abort sees it, or is seen
    if (aborted != null) {
      failer.accept(aborted);
      return;
    }
    if (deadline.isExpired()) {
      giveUp(JettyFailures.totalTimeout(this));
      return;
    }
    if (Thread.currentThread().isInterrupted()) {
      giveUp(new InterruptedException("interrupted before the request was sent"));
      return;
    }
    super.send(listener);
  }

  // ---- what Jetty tells ---------------------------------------------------------------------

  @Override
  public void notifyBegin() {
    begun = true;
    super.notifyBegin();
  }

  @Override
  public void notifySuccess() {
    sent = true;
    super.notifySuccess();
  }

  /** The caller is told at once, whatever the exchange may be waiting for. */
  @Override
  public CompletableFuture<Boolean> abort(Throwable cause) {
    CompletableFuture<Boolean> aborted = super.abort(cause);
    Consumer<Throwable> failer = onAbort;
    if (failer != null) {
      failer.accept(cause);
    }
    return aborted;
  }

  /** Aborts the request without waiting for that. */
  void giveUp(Throwable cause) {
    JettyExchange.unheeded(abort(cause));
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** When the total timeout is over; none before the request is sent. */
  Deadline deadline() {
    return deadline;
  }

  /** Until when a connection must have been found. */
  Deadline leaseDeadline() {
    return leaseDeadline;
  }

  /** Whether the request has left the queue, for a connection. */
  boolean hasBegun() {
    return begun;
  }

  /** Whether the request has been sent to its end. */
  boolean isSent() {
    return sent;
  }
}
