package io.heddle.apache;

import io.heddle.DeadlineExceededException;
import io.heddle.core.CallSite;
import io.heddle.core.Deadline;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.util.Objects;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ConnectionRequestTimeoutException;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * One deadline over a whole call: the wait for a connection, the DNS lookup, connecting, TLS, the
 * request and its body, every redirect and retry, and reading the response body. There is none by
 * default. Apache's own timeouts apply as well.
 *
 * <p>Set it per client or per call:
 *
 * <pre>{@code
 * // every call of this client
 * BlockingHttpClients.custom(Timeout.ofSeconds(5)).build();
 *
 * // this call; the shorter of the two applies
 * HttpClientContext context = HttpClientContext.create();
 * CallDeadline.set(context, Timeout.ofMilliseconds(800));
 * client.execute(request, context, handler);
 * }</pre>
 *
 * <p>When the deadline passes, the call throws {@link DeadlineExceededException}, a {@link
 * java.net.SocketTimeoutException}. Its connection is closed; with HTTP/2 its stream is reset. The
 * deadline is checked where the call waits, and at each read and write of a body. It does not stop
 * the caller's own code: an entity that computes for a minute exceeds its deadline at its next
 * write.
 *
 * <p>This class is a handler of the execution chain. {@link BlockingHttpClients} installs it. If
 * you only set a {@link BlockingConnectionManager} on a client builder, add it with {@code
 * addExecInterceptorFirst("deadline", new CallDeadline())}. Without it a call whose context has a
 * deadline fails.
 */
public final class CallDeadline implements ExecChainHandler {

  private static final String TIMEOUT = "io.heddle.call-deadline.timeout";
  private static final String DEADLINE = "io.heddle.call-deadline";

  /** The connection manager's lease has no context to look into; it is called on this thread. */
  private static final ThreadLocal<HttpClientContext> OF_THREAD = new ThreadLocal<>();

  private final @Nullable Timeout forEach;

  /** Creates a handler that enforces the deadlines set with {@link #set}. */
  public CallDeadline() {
    this.forEach = null;
  }

  /**
   * Creates a handler that enforces this deadline on each call, or an earlier one set with {@link
   * #set}.
   *
   * @param timeout counted from the start of a call; disabled for none. ({@link Timeout} does not
   *     accept negative durations.)
   */
  public CallDeadline(Timeout timeout) {
    this.forEach = Objects.requireNonNull(timeout, "timeout");
  }

  /**
   * Sets the deadline of the calls that are made with this context, counted from the start of each
   * call. A context is for one call at a time.
   *
   * <p>If a client has a {@link BlockingConnectionManager}, but no handler of this class, its calls
   * with this context throw {@link IllegalStateException} before they connect or send anything.
   *
   * @param timeout null or disabled for none
   */
  public static void set(HttpContext context, @Nullable Timeout timeout) {
    context.setAttribute(TIMEOUT, timeout);
  }

  /** The deadline of the call that runs in this context. */
  static Deadline of(HttpContext context) {
    Deadline deadline = (Deadline) context.getAttribute(DEADLINE);
    return deadline == null ? Deadline.none() : deadline;
  }

  /**
   * Refuses a call whose deadline nobody has begun to count: its client lacks this handler.
   *
   * @throws IllegalStateException if there is a timeout in the context, and no deadline
   */
  static void mustBeHeeded(HttpContext context) {
    Timeout timeout = (Timeout) context.getAttribute(TIMEOUT);
    if (!after(timeout).isNone() && context.getAttribute(DEADLINE) == null) {
      throw new IllegalStateException(
          "this client would ignore the deadline of "
              + timeout
              + " that CallDeadline.set has set: build it with"
              + " addExecInterceptorFirst(\"deadline\", new CallDeadline()), or prepare its builder"
              + " with BlockingHttpClients.prepare(..)");
    }
  }

  /** The deadline of the call that runs on this thread. */
  static Deadline ofThread() {
    HttpClientContext context = OF_THREAD.get();
    return context == null ? Deadline.none() : of(context);
  }

  /**
   * How long a pooled connection may take to prove that it lives: no longer than the call that runs
   * on this thread would wait for a response.
   */
  static Deadline ofProof() {
    HttpClientContext context = OF_THREAD.get();
    Timeout timeout = context == null ? null : shortResponseTimeout(context);
    return Deadline.afterNanos(
        timeout == null ? ReactorConnection.PATIENCE.toNanos() : timeout.toNanoseconds());
  }

  /** That of the call, if it ends before the usual patience does; else null. */
  private static @Nullable Timeout shortResponseTimeout(HttpClientContext context) {
    Timeout timeout = context.getRequestConfigOrDefault().getResponseTimeout();
    return timeout != null
            && timeout.isEnabled()
            && timeout.toNanoseconds() < ReactorConnection.PATIENCE.toNanos()
        ? timeout
        : null;
  }

  /**
   * Proceeds with the call until its deadline. Ends what Apache's own handlers leave open, too: a
   * call that ends by an {@link Error} gives its connection back, and one that is aborted between
   * two of their steps fails with a {@link
   * org.apache.hc.client5.http.impl.classic.RequestFailedException}.
   */
  @Override
  public ClassicHttpResponse execute(
      ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
      throws IOException, HttpException {
    return BlockingHttpClients.endingOnError(
        request, scope, (sent, sentScope) -> inTime(sent, sentScope, chain));
  }

  private ClassicHttpResponse inTime(
      ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
      throws IOException, HttpException {
    HttpClientContext context = scope.clientContext;
    Deadline outer = of(context);
    Deadline deadline =
        after(forEach).earlier(after((Timeout) context.getAttribute(TIMEOUT))).earlier(outer);
    if (deadline == outer && shortResponseTimeout(context) == null) {
      return chain.proceed(request, scope);
    }
    HttpClientContext outerOfThread = OF_THREAD.get();
    context.setAttribute(DEADLINE, deadline);
    OF_THREAD.set(context);
    try {
      return chain.proceed(request, scope);
    } catch (InterruptedIOException e) {
      throw deadline.isExpired() ? asDeadline(e) : e;
    } finally {
      context.setAttribute(DEADLINE, outer.isNone() ? null : outer);
      if (outerOfThread == null) {
        OF_THREAD.remove();
      } else {
        OF_THREAD.set(outerOfThread);
      }
    }
  }

  /** So far from now; never, if that is null or disabled. */
  static Deadline after(@Nullable Timeout timeout) {
    return timeout == null || timeout.isDisabled()
        ? Deadline.none()
        : Deadline.afterNanos(timeout.toNanoseconds());
  }

  /** One type for all the waits that the deadline can end, which have timeouts of their own. */
  private static InterruptedIOException asDeadline(InterruptedIOException e) {
    if (e instanceof DeadlineExceededException
        || (Thread.currentThread().isInterrupted() && !isTimeout(e))) {
      return e;
    }
    return CallSite.caused(
        new DeadlineExceededException("the call's deadline is over: " + e.getMessage()), e);
  }

  /** Whether it was not an interrupt that ended the wait, whether or not one came as well. */
  private static boolean isTimeout(InterruptedIOException e) {
    return e instanceof SocketTimeoutException || e instanceof ConnectionRequestTimeoutException;
  }
}
