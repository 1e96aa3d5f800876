package io.heddle.okhttp;

import io.heddle.core.Bell;
import io.heddle.core.Deadline;
import io.heddle.core.RequestBodyPipe;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.Buffer;
import okio.BufferedSink;
import okio.Okio;
import okio.Sink;
import okio.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * A request body that the user's own code writes on the caller's thread, and a worker sends.
 *
 * <p>The caller begins at once, unless the body can be written only once, the server is to say
 * first that it wants it, or a listener is to hear of the head in time: then it waits until OkHttp
 * asks for the body. A body of a conversation ("duplex") is given OkHttp's own sink, on the
 * caller's thread as well.
 *
 * <pre>{@code
 * caller                                      worker, which looks at each ring of `more`
 *   write  ──── bytes, into the pipe ──────▶  sends them
 *   flush  ──── flushed ───────────────────▶  sends what was written before, and flushes
 *   end    ──── the pipe is finished ──────▶  returns
 *   throws ──── thrown ────────────────────▶  sends what was written before, and throws it
 *   put    ◀─── the pipe has failed ────────  its own failure; or OkHttp is done with the request
 *   put, interrupted: closes the pipe, and throws, as above
 * cancel, any thread: closes the pipe, which ends a put; `cancelled`, by which the worker leaves
 * }</pre>
 */
final class OkHttpRequestBody extends RequestBody {

  /** Bytes that the caller may be ahead of the worker. */
  private static final int WINDOW = 64 * 1024;

  private final OkHttpExchange exchange;
  private final RequestBody own;
  private final boolean eager;
  private final RequestBodyPipe pipe;

  // Where the worker waits while there is nothing to send, or a conversation begins.
  private final Bell more = new Bell();

  // Written by the caller before it wakes the worker, which clears the first when it has seen it.
  private volatile boolean flushed;
  private volatile @Nullable Throwable thrown;

  // Written by who cancels, before it wakes the worker.
  private volatile boolean cancelled;

  /**
   * A body that nobody has asked for.
   *
   * @param heard whether a listener is to hear first of what comes before it
   */
  OkHttpRequestBody(OkHttpExchange exchange, Request request, RequestBody own, boolean heard) {
    this.exchange = exchange;
    this.own = own;
    this.eager =
        !heard
            && !own.isDuplex()
            && !own.isOneShot()
            && !"100-continue".equalsIgnoreCase(request.header("Expect"));
    this.pipe = new RequestBodyPipe(WINDOW, 0, more::ring, more::ring);
  }

  /** A request with the body that its user gave it. */
  static Request asMade(Request sent) {
    return sent.body() instanceof OkHttpRequestBody ours
        ? sent.newBuilder().method(sent.method(), ours.own).build()
        : sent;
  }

  /** A response to such a request. */
  static Response asMade(Response response) {
    Request made = asMade(response.request());
    return made.equals(response.request()) ? response : response.newBuilder().request(made).build();
  }

  @Override
  public @Nullable MediaType contentType() {
    return own.contentType();
  }

  @Override
  public long contentLength() throws IOException {
    return own.contentLength();
  }

  @Override
  public boolean isDuplex() {
    return own.isDuplex();
  }

  @Override
  public boolean isOneShot() {
    return own.isOneShot();
  }

  // ---- caller -------------------------------------------------------------------------------

  boolean isEager() {
    return eager;
  }

  /** Lets the user's code write the body into the pipe. What it throws is thrown by the worker. */
  void write() {
    write(Okio.buffer(new PipeSink()));
  }

  private void write(BufferedSink sink) {
    try {
      own.writeTo(sink);
      if (!own.isDuplex()) { // else the user's code does it, at the end of the conversation
        sink.close();
      }
    } catch (Throwable t) { // which may be anything
      thrown = t; // after all that was written before
    }
    more.ring(); // wakes the worker in await
  }

  /** What the user's code writes to, by okio's sink, which closes it once. */
  private final class PipeSink implements Sink {
    private final Buffer.UnsafeCursor cursor = new Buffer.UnsafeCursor();

    @Override
    public void write(Buffer source, long byteCount) throws IOException {
      OkHttpFailures.forbidWaiting();
      Buffer taken = new Buffer();
      taken.write(source, byteCount);
      try (Buffer.UnsafeCursor at = taken.readUnsafe(cursor)) {
        while (at.next() != -1) {
          put(Objects.requireNonNull(at.data), at.start, at.end - at.start);
        }
      }
      pipe.flush();
    }

    private void put(byte[] bytes, int from, int length) throws IOException {
      try {
        pipe.write(bytes, from, length, Deadline.none());
      } catch (InterruptedException
          | TimeoutException
          | ExecutionException
          | CancellationException e) {
        throw OkHttpFailures.inWait(e);
      }
    }

    @Override
    public void flush() {
      flushed = true;
      more.ring(); // wakes the worker in await
    }

    @Override
    public void close() throws IOException {
      try {
        pipe.finish();
      } catch (CancellationException | ExecutionException e) {
        throw OkHttpFailures.inWait(e);
      }
    }

    @Override
    public Timeout timeout() {
      return Timeout.NONE;
    }
  }

  // ---- worker -------------------------------------------------------------------------------

  @Override
  public void writeTo(BufferedSink sink) throws IOException {
    if (own.isDuplex()) {
      exchange.onCaller(() -> write(sink));
      await();
      throwIfCancelled();
      Throwable ofWriter = thrown;
      if (ofWriter != null) {
        throw OkHttpFailures.sneaky(ofWriter);
      }
      return;
    }
    if (!eager) {
      exchange.onCaller(this::write);
    }
    try {
      send(sink);
    } catch (IOException e) {
      pipe.fail(e); // wakes the caller in put
      throw e;
    }
  }

  private void send(BufferedSink sink) throws IOException {
    while (true) {
      throwIfCancelled(); // looked at, and all that follows, after `more` has rung
      Throwable ofWriter = thrown;
      boolean flush = flushed;
      if (flush) { // else one that comes just now would be lost
        flushed = false; // before the look into the pipe: with the next flush come its bytes
      }
      if (pipe.drainTo(sink::write)) {
        return;
      }
      if (flush) {
        sink.flush(); // before a failure, too: the server is to see what the writer showed it
      }
      if (ofWriter != null) {
        throw OkHttpFailures.sneaky(ofWriter);
      }
      await();
    }
  }

  private void await() throws IOException {
    try {
      more.await();
    } catch (InterruptedException e) { // the user's own executor is shut down
      throw OkHttpFailures.interrupted(e);
    }
  }

  private void throwIfCancelled() throws IOException {
    if (cancelled) {
      throw new IOException("Canceled");
    }
  }

  /** OkHttp is done with the request, whose body may still be being written. */
  void fail(Throwable failure) {
    pipe.fail(failure); // wakes the caller in put
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** The exchange is cancelled. */
  void cancel() {
    cancelled = true;
    pipe.cancel(); // wakes the caller in put
    more.ring(); // wakes the worker in await
  }
}
