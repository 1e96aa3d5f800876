package io.heddle.ahc;

import io.heddle.core.BodyOutput;
import io.heddle.core.Canceller;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import io.heddle.core.RequestBodyPipe;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.asynchttpclient.request.body.Body;
import org.asynchttpclient.request.body.generator.FeedListener;
import org.asynchttpclient.request.body.generator.FeedableBodyGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request: what a {@link WritableBody} writes, on its way to the engine.
 *
 * <p>The engine asks for a body of its own for each {@link Attempt} to send the request: a redirect
 * or a challenge may want it again, while the connection of the one before still has something that
 * drains it.
 */
final class AhcRequestBody implements FeedableBodyGenerator {

  /** Bytes that may wait for the event loop. */
  static final int CAPACITY = 64 * 1024;

  private static final int FRAME = 16 * 1024;

  private static final byte[] NOTHING = {};

  /** The exchange has ended: leaves the writer. What became of it, the exchange knows. */
  private static final class Ended extends IOException {
    private static final long serialVersionUID = 1L;

    Ended(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  private final WritableBody body;
  private final AhcExchange<?> exchange;
  private final Canceller canceller;

  private final RequestBodyPipe first;
  private volatile Attempt attempt;
  private volatile boolean taken;

  // Shared: completes when he who writes, or wrote last, reads no more.
  private final AtomicReference<@Nullable Exchange<Boolean>> writing = new AtomicReference<>();

  // The engine only, one thread at a time.
  private boolean created;

  AhcRequestBody(WritableBody body, AhcExchange<?> exchange, Canceller canceller) {
    this.body = body;
    this.exchange = exchange;
    this.canceller = canceller;
    this.attempt = new Attempt();
    this.first = attempt.pipe;
  }

  // ---- caller -------------------------------------------------------------------------------

  /** Whether another could be sent in its place: nothing was taken, or it can be read twice. */
  boolean isRepeatable() {
    return body.again() == WritableBody.Again.ALWAYS || !taken;
  }

  /**
   * Writes the body. Returns early if the exchange ends, or the server wants no more.
   *
   * @throws IOException what its writer throws
   * @throws InterruptedException if the caller was interrupted; the flag is cleared
   * @throws TimeoutException if the deadline is over
   */
  void write(Deadline deadline) throws IOException, InterruptedException, TimeoutException {
    boolean whole = false;
    try {
      write(first, deadline);
      whole = true;
    } finally {
      if (!whole) {
        first.cancel(); // and with it the exchange: a cut body is none
      }
    }
  }

  private void write(RequestBodyPipe to, Deadline deadline)
      throws IOException, InterruptedException, TimeoutException {
    Stream out = new Stream(to, deadline);
    Exchange<Boolean> written = new Exchange<>();
    try {
      if (!isWanted(to, deadline)) {
        return;
      }
      Exchange<Boolean> before = writing.getAndSet(written);
      if (before != null) { // one thread at a time reads the body
        before.awaitDone(deadline);
      }
      taken = true; // then a second look: he who wants the body anew stops first, then looks
      if (!isWanted(to, deadline)) {
        return;
      }
      body.writer().writeTo(out);
      if (body.length() >= 0 && out.written() < body.length()) {
        throw new IOException(
            "the request body has "
                + out.written()
                + " bytes, and was told to have "
                + body.length());
      }
      to.finish();
    } catch (ExecutionException | CancellationException e) {
      return; // the exchange has ended, and says why
    } catch (IOException e) {
      switch (out.end) {
        case InterruptedException interrupted -> throw interrupted;
        case TimeoutException expired -> throw expired;
        case null -> throw e;
        default -> {
          return; // the exchange has ended, and says why
        }
      }
    } finally {
      written.complete(true);
    }
  }

  private static boolean isWanted(RequestBodyPipe to, Deadline deadline)
      throws InterruptedException, TimeoutException, ExecutionException {
    return to.write(NOTHING, 0, 0, deadline);
  }

  /** What the writer writes to. To close it is not the end of the body. */
  private final class Stream extends BodyOutput {
    private final RequestBodyPipe to;
    private final Deadline deadline;
    private @Nullable Exception end;

    Stream(RequestBodyPipe to, Deadline deadline) {
      super(body.length());
      this.to = to;
      this.deadline = deadline;
    }

    @Override
    protected RequestBodyPipe pipe() {
      return to;
    }

    @Override
    protected Deadline deadline() {
      return deadline;
    }

    @Override
    protected IOException noMoreWanted() {
      return failure(new CancellationException("the server has answered, and wants no more"));
    }

    @Override
    protected IOException failure(Exception why) {
      if (end == null) { // a writer may close a stream of its own, which writes once more
        end = why;
      }
      return why instanceof TimeoutException
          ? AhcFailures.deadline("writing the request body", why)
          : new Ended("the request body is not wanted any more", why);
    }
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** The server has answered with an error, and may want no more. */
  void answered() {
    attempt.pipe.answered();
  }

  /** The server wants no more. */
  void stop() {
    attempt.pipe.stop();
  }

  /** The exchange was given up. */
  void cancel() {
    attempt.pipe.cancel();
  }

  /** The exchange has failed. */
  void fail(Throwable cause) {
    attempt.pipe.fail(cause);
  }

  /** Writes the body on a virtual thread; what its writer throws ends the exchange. */
  void writeElsewhere() {
    writeElsewhere(first);
  }

  private void writeElsewhere(RequestBodyPipe to) {
    Thread.ofVirtual()
        .name("heddle-ahc-upload")
        .inheritInheritableThreadLocals(false)
        .start(
            () -> {
              try {
                write(to, Deadline.none());
              } catch (Throwable e) { // nobody else would hear of it
                exchange.onThrowable(e);
              }
            });
  }

  // ---- engine -------------------------------------------------------------------------------

  /**
   * The engine begins to send the request, perhaps not for the first time. What has not begun to
   * leave goes with the next attempt; else another thread writes the body anew.
   */
  @Override
  public Body createBody() {
    if (created) {
      Attempt before = attempt;
      if (before.begins()) { // and now never does
        attempt = new Attempt(before);
      } else {
        before.pipe.stop();
        if (body.again() == WritableBody.Again.NEVER && taken) {
          throw new UncheckedIOException(
              new IOException("the request body was read once, and cannot be sent again"));
        }
        attempt = new Attempt();
        writeElsewhere(attempt.pipe);
      }
      if (exchange.isOver()) { // and he who ended it may have seen the attempt before
        cancel();
      }
    }
    created = true;
    return attempt;
  }

  @Override
  public void setListener(FeedListener listener) {
    attempt.listen(listener);
  }

  /** Nobody feeds this body but its writer. */
  @Override
  public boolean feed(ByteBuf buffer, boolean isLast) {
    return false;
  }

  /** Whether the request goes out on a stream, of which {@link #attach} will tell. */
  void multiplexed(boolean is) {
    attempt.multiplexed = is;
  }

  /** This is the stream. */
  void attach(Http2StreamChannel to, ReadGate gate) {
    attempt.attach(to, gate);
  }

  /** Whether all of it has gone to the stream; event loop. */
  boolean isWritten() {
    return attempt.written;
  }

  /** Whether it is the caller that the engine waits for; event loop. */
  boolean isAwaited() {
    Attempt now = attempt;
    return now.hungry && !now.endSent && now.pipe.available() == 0;
  }

  /**
   * The body, once, on one connection.
   *
   * <p>On HTTP/1.1 the engine asks for bytes, and is told when there are more, as it is by AHC's
   * own feedable bodies. On HTTP/2 it would keep back the last of what it has until there is more,
   * so that what is flushed would not leave; there the body writes the frames itself, and the
   * engine sees one that never has a byte.
   *
   * <pre>{@code
   * NEW ──transferTo──▶ BEGUN    its bytes go to its connection, and to no other
   *  └───createBody───▶ PASSED   its bytes go with the next attempt; it never has any
   * }</pre>
   */
  private final class Attempt implements Body {

    private final RequestBodyPipe pipe;
    private final AtomicBoolean left = new AtomicBoolean(); // NEW

    private volatile @Nullable Attempt next;
    private volatile @Nullable FeedListener listener;
    private volatile @Nullable Http2StreamChannel stream;

    // Event loop only.
    private boolean multiplexed;
    private boolean begun;
    private boolean hungry;
    private boolean endSent;
    private boolean written;

    Attempt() {
      long expected = body.length() < 0 ? 1024 : body.length();
      pipe = new RequestBodyPipe(CAPACITY, expected, this::signal, canceller);
    }

    /** In place of one that has not begun. */
    Attempt(Attempt before) {
      pipe = before.pipe;
      before.next = this;
    }

    /** Whether this was the first to say so: from now on it is not NEW. */
    boolean begins() {
      return left.compareAndSet(false, true);
    }

    private void signal() {
      Attempt after = next;
      if (after != null) {
        after.signal();
        return;
      }
      Http2StreamChannel to = stream;
      if (to != null) {
        try {
          to.eventLoop().execute(this::pump);
        } catch (RejectedExecutionException e) {
          return; // the client is closed, and all its exchanges with it
        }
      }
      FeedListener asks = listener;
      if (asks != null) { // else the engine has not come here yet, and will
        asks.onContentAdded();
      }
    }

    void listen(FeedListener to) {
      if (!multiplexed) {
        listener = to;
      }
    }

    @Override
    public long getContentLength() {
      return body.length();
    }

    @Override
    public BodyState transferTo(ByteBuf target) throws IOException {
      begun |= begins();
      if (!begun) {
        throw new IOException("the request goes out on another connection");
      }
      if (multiplexed) {
        pump();
        return BodyState.SUSPEND;
      }
      if (drainTo(target)) {
        return BodyState.STOP;
      }
      if (target.isReadable()) {
        return BodyState.CONTINUE;
      }
      hungry = true;
      exchange.waitsForCaller();
      return BodyState.SUSPEND;
    }

    private boolean drainTo(ByteBuf target) throws IOException {
      return pipe.drainTo(
          src -> {
            int n = Math.min(src.remaining(), target.writableBytes());
            ByteBuffer part = src.slice().limit(n);
            target.writeBytes(part);
            return n;
          });
    }

    /** The engine needs it no more: it is sent, or its connection has ended. */
    @Override
    public void close() {
      endSent = true;
      if (begun) {
        pipe.stop();
      }
    }

    // ---- HTTP/2 -----------------------------------------------------------------------------

    void attach(Http2StreamChannel to, ReadGate gate) {
      stream = to;
      gate.onWritable(this::pump);
      pump();
    }

    /** Sends what there is, as far as the stream's window allows. */
    @SuppressWarnings("FutureReturnValueIgnored") // the engine hears of a stream that breaks
    private void pump() {
      Http2StreamChannel to = stream;
      if (to == null || !begun || endSent || !to.isActive()) {
        return;
      }
      try {
        boolean empty = false;
        while (to.isWritable() && !endSent && !empty) {
          ByteBuf frame = to.alloc().buffer(FRAME, FRAME);
          boolean end = drainTo(frame);
          empty = !frame.isReadable();
          if (empty && !end) {
            frame.release();
          } else {
            endSent = end;
            written = end;
            to.write(new DefaultHttp2DataFrame(frame, end));
            exchange.channel().touch();
          }
        }
        to.flush();
        if (empty) {
          hungry = true;
          exchange.waitsForCaller();
        }
      } catch (IOException e) {
        exchange.onThrowable(e);
      }
    }
  }
}
