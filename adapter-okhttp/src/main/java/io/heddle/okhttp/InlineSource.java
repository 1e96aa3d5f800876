package io.heddle.okhttp;

import io.heddle.core.CallEvent;
import io.heddle.core.DeclaredLength;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ProtocolException;
import java.util.concurrent.TimeUnit;
import okhttp3.Interceptor;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.BufferedSource;
import okio.Source;
import okio.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * OkHttp's own body, read by the caller itself. It adds to it:
 *
 * <ul>
 *   <li>an interrupt ends the body with {@link InterruptedIOException} and the flag kept; what has
 *       arrived already is served, although okio does not read for a thread that is interrupted;
 *   <li>a body that is shorter than its Content-Length fails, on HTTP/2 too (RFC 9113, 8.1.1);
 *   <li>each read after a failure fails with an exception of its own;
 *   <li>to give up a body on a shared connection writes nothing on this thread.
 * </ul>
 *
 * <p>Read by okio's buffer, by one thread at a time, as OkHttp has it.
 */
final class InlineSource implements Source {

  /** How long a thread that is interrupted waits for what the kernel may hold already. */
  private static final int INTERRUPTED_MILLIS = 2;

  /** Bytes that are to come, at most, for OkHttp to read on in a body that is closed. */
  static final int DRAIN_BYTES = 1024 * 1024;

  private final Interceptor.Chain chain;
  private final ResponseBody own;
  private final BufferedSource source;
  private final boolean shared;
  private final boolean duplex;
  private final @Nullable LiveCall call;
  private final DeclaredLength length;

  private boolean ended;
  private boolean closed;
  private @Nullable IOException failure;

  /**
   * A source.
   *
   * @param chain of the last network interceptor
   * @param response OkHttp's own
   * @param shared whether other calls use the connection
   * @param call null if it is none of ours
   */
  InlineSource(
      Interceptor.Chain chain, Response response, boolean shared, @Nullable LiveCall call) {
    this.chain = chain;
    this.own = response.body();
    this.source = own.source();
    this.shared = shared;
    this.call = call;
    RequestBody asked = response.request().body();
    this.duplex = asked != null && asked.isDuplex();
    this.length = OkHttpResponseBody.lengthOf(response);
    if (shared && call != null) { // over HTTP/1.1 OkHttp itself holds it against its length
      call.reads(this);
    }
  }

  /** Whether nothing is missing of it; or nothing that is known. */
  boolean isWhole() {
    return ended || length.isReached();
  }

  @Override
  public long read(Buffer sink, long byteCount) throws IOException {
    if (closed) {
      throw new IllegalStateException("closed");
    }
    OkHttpFailures.forbidWaiting();
    if (failure != null) {
      throw OkHttpFailures.again(failure);
    }
    if (ended) {
      return -1;
    }
    if (shared && call != null && call.isCanceled() && call.isOverdue()) {
      // OkHttp's timer has cancelled it, which a read heeds where it waits: what has come outruns
      // it.
      throw fail(OkHttpFailures.timedOut(null));
    }
    try {
      // On a shared connection a wait looks at the flag by itself, and harms nobody.
      long n =
          !shared && Thread.interrupted()
              ? readInterrupted(sink, byteCount)
              : source.read(sink, byteCount);
      if (n >= 0) {
        length.admits(n); // more than that fails in OkHttp
      } else {
        end();
      }
      tell();
      return n;
    } catch (IOException e) {
      if (shared && !chain.call().isCanceled() && OkHttpResponseBody.isWhole(own, length, e)) {
        ended = true;
        tell();
        return -1;
      }
      throw fail(e);
    }
  }

  private void tell() {
    if (shared && call != null && length.isReached()) {
      call.hasRead();
    }
  }

  private long readInterrupted(Buffer sink, long byteCount) throws IOException {
    Timeout timeout = source.timeout();
    boolean hadDeadline = timeout.hasDeadline();
    long deadline = hadDeadline ? timeout.deadlineNanoTime() : 0;
    try {
      timeout.deadline(INTERRUPTED_MILLIS, TimeUnit.MILLISECONDS);
      return source.read(sink, byteCount);
    } finally {
      if (hadDeadline) {
        timeout.deadlineNanoTime(deadline);
      } else {
        timeout.clearDeadline();
      }
      Thread.currentThread().interrupt();
    }
  }

  private void end() throws IOException {
    if (!length.isReached()) {
      throw new ProtocolException("unexpected end of stream: " + length);
    }
    ended = true;
  }

  private IOException fail(IOException e) {
    IOException thrown =
        Thread.currentThread().isInterrupted()
            ? OkHttpFailures.interrupted(e)
            : OkHttpFailures.ofCaller(e, InlineSource.class);
    failure = thrown;
    if (call != null) {
      call.failed(thrown);
    }
    giveUp();
    return thrown;
  }

  @Override
  public Timeout timeout() {
    return source.timeout();
  }

  @Override
  public void close() {
    closed = true;
    if (call != null && call.isWithin()) { // a redirect's, and the call goes on
      call.reads(null);
    } else if (call != null && !ended) {
      call.event().end(CallEvent.End.CLOSED); // if it is not over: OkHttp knows no difference
    }
    giveUp();
  }

  /** Closes OkHttp's own, which reads a short rest to keep its connection. */
  private void giveUp() {
    if (shared && !duplex && !ended) {
      OkHttpInternals.cancelExchange(chain); // or the close would write the reset here
    } else if (!ended && length.declared() - length.counted() > DRAIN_BYTES) {
      source.timeout().deadlineNanoTime(System.nanoTime()); // then a new one is cheaper
    }
    own.close();
  }

  @Override
  public String toString() {
    return "source(" + source + ")";
  }
}
