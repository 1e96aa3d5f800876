package io.heddle.ahc;

import io.heddle.Canceller;
import io.heddle.Deadline;
import io.heddle.Exchange;
import io.heddle.RequestBodyPipe;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.asynchttpclient.request.body.Body;
import org.asynchttpclient.request.body.generator.FeedListener;
import org.asynchttpclient.request.body.generator.FeedableBodyGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request: what a {@link BodySource} writes, on its way to the engine.
 *
 * <p>On HTTP/1.1 the engine asks for bytes, and is told when there are more, as it is by AHC's own
 * feedable bodies. On HTTP/2 it would keep back the last of what it has until there is more, so
 * that what is flushed would not leave; there the body writes the frames itself, and the engine
 * sees one that never has a byte.
 */
final class AhcRequestBody implements FeedableBodyGenerator, Body {

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

  private final BodySource source;
  private final AhcExchange<?> exchange;
  private final Canceller canceller;

  private final RequestBodyPipe first;
  private volatile RequestBodyPipe pipe;
  private volatile @Nullable FeedListener listener;
  private volatile @Nullable Http2StreamChannel stream;
  private volatile boolean taken;

  // Shared: completes when he who writes, or wrote last, reads no more from the source.
  private final AtomicReference<@Nullable Exchange<Boolean>> writing = new AtomicReference<>();

  // Event loop only.
  private boolean created;
  private boolean multiplexed;
  private boolean begun;
  private boolean endSent;

  AhcRequestBody(BodySource source, AhcExchange<?> exchange, Canceller canceller) {
    this.source = source;
    this.exchange = exchange;
    this.canceller = canceller;
    this.first = newPipe();
    this.pipe = first;
  }

  private RequestBodyPipe newPipe() {
    long expected = source.length() < 0 ? 1024 : source.length();
    return new RequestBodyPipe(CAPACITY, expected, this::signal, canceller);
  }

  // ---- caller -------------------------------------------------------------------------------

  /** Whether another could be sent in its place: nothing was taken, or it can be read twice. */
  boolean isRepeatable() {
    return source.again() == BodySource.Again.ALWAYS || !taken;
  }

  /**
   * Writes the body. Returns early if the exchange ends, or the server wants no more.
   *
   * @throws IOException what the source throws
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
      if (before != null) { // one thread at a time reads from the source
        before.awaitDone(deadline);
      }
      taken = true; // then a second look: he who wants the body anew stops first, then looks
      if (!isWanted(to, deadline)) {
        return;
      }
      source.writer().writeTo(out);
      if (source.length() >= 0 && out.written < source.length()) {
        throw new IOException(
            "the request body has "
                + out.written
                + " bytes, and was told to have "
                + source.length());
      }
      to.finish();
    } catch (ExecutionException | CancellationException e) {
      return; // the exchange has ended, and says why
    } catch (IOException e) {
      InterruptedException interrupted = out.interrupted;
      TimeoutException expired = out.expired;
      if (interrupted != null) {
        throw interrupted;
      }
      if (expired != null) {
        throw expired;
      }
      if (!out.ended) {
        throw e;
      }
    } finally {
      written.complete(true);
    }
  }

  private static boolean isWanted(RequestBodyPipe to, Deadline deadline)
      throws InterruptedException, TimeoutException, ExecutionException {
    return to.write(NOTHING, 0, 0, deadline);
  }

  /** What the source writes to. To close it is not the end of the body. */
  private final class Stream extends OutputStream {
    private final RequestBodyPipe to;
    private final Deadline deadline;
    private final byte[] one = new byte[1];
    private long written;
    private boolean ended;
    private @Nullable InterruptedException interrupted;
    private @Nullable TimeoutException expired;

    Stream(RequestBodyPipe to, Deadline deadline) {
      this.to = to;
      this.deadline = deadline;
    }

    @Override
    public void write(int b) throws IOException {
      one[0] = (byte) b;
      write(one, 0, 1);
    }

    @Override
    public void write(byte[] b, int off, int len) throws IOException {
      int n = len;
      if (source.length() >= 0) {
        n = (int) Math.min(len, source.length() - written);
      }
      try {
        if (!to.write(b, off, n, deadline)) {
          ended = true;
          throw new Ended("the server has answered and wants no more of the request body", null);
        }
        written += n;
      } catch (InterruptedException e) {
        interrupted = e;
        throw new Ended("interrupted while writing the request body", e);
      } catch (TimeoutException e) {
        expired = e;
        throw AhcFailures.deadline("writing the request body", e);
      } catch (ExecutionException | CancellationException e) {
        ended = true;
        throw new Ended("the exchange has ended", e);
      }
    }

    @Override
    public void flush() {
      to.flush();
    }
  }

  private void signal() {
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

  // ---- any thread ---------------------------------------------------------------------------

  /** The server wants no more. */
  void stop() {
    pipe.stop();
  }

  /** The exchange was given up. */
  void cancel() {
    pipe.cancel();
  }

  /** The exchange has failed. */
  void fail(Throwable cause) {
    pipe.fail(cause);
  }

  // ---- engine -------------------------------------------------------------------------------

  /**
   * The engine begins to send the request, perhaps not for the first time: a redirect or a
   * challenge may want the body again, which another thread writes then.
   */
  @Override
  public Body createBody() {
    if (created) {
      pipe.stop();
      if (source.again() == BodySource.Again.NEVER && taken) {
        throw new UncheckedIOException(
            new IOException("the request body was read once, and cannot be sent again"));
      }
      RequestBodyPipe again = newPipe();
      pipe = again;
      stream = null;
      listener = null;
      begun = false;
      endSent = false;
      writeElsewhere(again);
    }
    created = true;
    return this;
  }

  /** Writes the body on a virtual thread; what the source throws ends the exchange. */
  void writeElsewhere() {
    writeElsewhere(first);
  }

  private void writeElsewhere(RequestBodyPipe to) {
    Thread.ofVirtual()
        .name("heddle-ahc-upload")
        .start(
            () -> {
              try {
                write(to, Deadline.none());
              } catch (Throwable e) { // nobody else would hear of it
                exchange.onThrowable(e);
              }
            });
  }

  @Override
  public void setListener(FeedListener listener) {
    if (!multiplexed) {
      this.listener = listener;
    }
  }

  /** Nobody feeds this body but its source. */
  @Override
  public boolean feed(ByteBuf buffer, boolean isLast) {
    return false;
  }

  @Override
  public long getContentLength() {
    return source.length();
  }

  @Override
  public BodyState transferTo(ByteBuf target) throws IOException {
    begun = true;
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
    exchange.waitsForCaller(() -> !endSent && pipe.available() == 0);
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

  /** The engine needs it no more: sent, or given up. */
  @Override
  public void close() {
    endSent = true;
  }

  // ---- HTTP/2 -------------------------------------------------------------------------------

  /** Whether the request goes out on a stream, of which {@link #attach} will tell. */
  void multiplexed(boolean is) {
    multiplexed = is;
  }

  /** This is the stream. */
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
          to.write(new DefaultHttp2DataFrame(frame, end));
          exchange.channel().touch();
        }
      }
      to.flush();
      if (empty) {
        exchange.waitsForCaller(() -> !endSent && pipe.available() == 0);
      }
    } catch (IOException e) {
      exchange.onThrowable(e);
    }
  }
}
