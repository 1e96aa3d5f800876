package io.heddle.ahc;

import io.heddle.core.RequestBodyPipe;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import org.asynchttpclient.request.body.Body;
import org.asynchttpclient.request.body.generator.FeedListener;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request, once, on its way to one connection.
 *
 * <p>On HTTP/1.1 the engine asks for bytes, and is told when there are more, as it is by AHC's own
 * feedable bodies. On HTTP/2 it would keep back the last of what it has until there is more, so
 * that what is flushed would not leave; there the body writes the frames itself, and the engine
 * sees one that never has a byte.
 *
 * <pre>{@code
 * NEW ──transferTo──▶ BEGUN    its bytes go to its connection, and to no other
 *  └──────pass──────▶ PASSED   its bytes go with the next attempt; it never has any
 * }</pre>
 */
final class BodyAttempt implements Body {

  /** Bytes that may wait for the event loop. */
  private static final int CAPACITY = 64 * 1024;

  private static final int FRAME = 16 * 1024;

  private final AhcExchange<?> exchange;
  private final long length;
  private final RequestBodyPipe pipe;

  // Shared, under compare-and-set: null is NEW, this BEGUN, another one PASSED.
  private final AtomicReference<@Nullable BodyAttempt> by = new AtomicReference<>();

  private volatile @Nullable FeedListener listener; // HTTP/2 has no use for it
  private volatile @Nullable Http2StreamChannel stream;

  // Event loop only.
  private boolean ended;
  private boolean written;

  BodyAttempt(AhcExchange<?> exchange, long length) {
    this.exchange = exchange;
    this.length = length;
    this.pipe =
        new RequestBodyPipe(CAPACITY, length < 0 ? 1024 : length, this::signal, exchange::abort);
  }

  private BodyAttempt(BodyAttempt before) {
    this.exchange = before.exchange;
    this.length = before.length;
    this.pipe = before.pipe;
  }

  /** The one in place of this, if this has not begun, and now never does; else null. */
  @Nullable BodyAttempt pass() {
    BodyAttempt next = new BodyAttempt(this);
    return by.compareAndSet(null, next) ? next : null;
  }

  private boolean isBegun() {
    return by.get() == this;
  }

  /** What is written to it. */
  RequestBodyPipe pipe() {
    return pipe;
  }

  private void signal() {
    BodyAttempt next = by.get();
    Http2StreamChannel to = stream;
    FeedListener asks = listener;
    if (next != null && !isBegun()) {
      next.signal();
    } else if (to != null) {
      AhcIoThread.later(to, this::pump);
    } else if (asks != null) { // else the engine has not come here yet, and will
      asks.onContentAdded();
    }
  }

  void listen(FeedListener to) {
    listener = to;
  }

  /** Whether all of it has gone to the stream; event loop. */
  boolean isWritten() {
    return written;
  }

  /**
   * Whether it is the caller that the engine waits for; event loop. Over HTTP/2 the server waits
   * with it, for the end of the stream, which comes when the writer has returned.
   */
  boolean isAwaited() {
    boolean whole = stream == null && pipe.drained() == length;
    return isBegun() && !ended && !whole && pipe.isStarved();
  }

  @Override
  public long getContentLength() {
    return length;
  }

  @Override
  public BodyState transferTo(ByteBuf target) throws IOException {
    if (!by.compareAndSet(null, this) && !isBegun()) {
      throw new IOException("the request goes out on another connection");
    }
    if (stream != null) {
      pump();
      return BodyState.SUSPEND;
    }
    if (drainTo(target) || pipe.drained() == length) {
      return BodyState.STOP;
    }
    if (target.isReadable()) {
      return BodyState.CONTINUE;
    }
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
    ended = true;
    if (isBegun()) {
      pipe.stop();
    }
  }

  // ---- HTTP/2 -------------------------------------------------------------------------------

  /** This is the stream that it goes to. */
  void attach(Http2StreamChannel to, ReadGate gate) {
    stream = to;
    gate.onWritable(this::pump);
  }

  /** Sends what there is, as far as the stream's window allows. */
  @SuppressWarnings("FutureReturnValueIgnored") // the engine hears of a stream that breaks
  private void pump() {
    Http2StreamChannel to = stream;
    if (to == null || !isBegun() || ended || !to.isActive()) {
      return;
    }
    try {
      boolean empty = false;
      while (to.isWritable() && !ended && !empty) {
        ByteBuf frame = to.alloc().buffer(FRAME, FRAME);
        written = drainTo(frame);
        empty = !frame.isReadable();
        if (empty && !written) {
          frame.release();
        } else {
          ended = written;
          to.write(new DefaultHttp2DataFrame(frame, written));
          exchange.channel().touch();
        }
      }
      to.flush();
      if (empty) {
        exchange.waitsForCaller();
      }
    } catch (IOException e) {
      exchange.onThrowable(e);
    }
  }
}
