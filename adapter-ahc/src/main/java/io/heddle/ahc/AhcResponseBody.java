package io.heddle.ahc;

import io.heddle.core.BodyInput;
import io.heddle.core.Deadline;
import io.heddle.core.ResponseBodyPipe;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The body of a response, as the caller reads it.
 *
 * <p><b>Back pressure.</b> The engine knows none. So the body counts what it may still take; when
 * that is used up the channel's {@link ReadGate} is shut, and when the caller has read half the
 * window it is opened. What one read of the socket brought is taken in any case.
 *
 * <p>{@link #close} before the end keeps the connection of HTTP/1.1 if the rest is here or about to
 * be: it {@linkplain ResponseBodyPipe#drain drains} the body. Beyond that the exchange is given up,
 * which ends the connection. On HTTP/2 it resets the stream.
 */
final class AhcResponseBody extends BodyInput {

  /** Bytes that may wait for the caller, at first. */
  static final int WINDOW = 128 * 1024;

  private static final int MOST_WINDOW = 256 * 1024;

  private final AhcExchange<?> exchange;
  private final Deadline deadline;
  private final ResponseBodyPipe pipe;
  private final Runnable flush;

  // Shared: how many more bytes may come; 0 or less while the gate is shut.
  private final AtomicInteger credit = new AtomicInteger(WINDOW);

  AhcResponseBody(AhcExchange<?> exchange, long expected, Deadline deadline) {
    this.exchange = exchange;
    this.deadline = deadline;
    this.pipe = new ResponseBodyPipe(WINDOW, MOST_WINDOW, expected, this::demand, exchange::abort);
    this.flush = pipe::flush;
    this.pipe.ends(exchange.event());
  }

  // ---- event loop ---------------------------------------------------------------------------

  void offer(ByteBuf part) {
    int n = part.readableBytes();
    if (n == 0) {
      return;
    }
    if (part.nioBufferCount() == 1) {
      pipe.gather(part.internalNioBuffer(part.readerIndex(), n));
    } else {
      for (ByteBuffer each : part.nioBuffers()) {
        pipe.gather(each);
      }
    }
    ReadGate gate = exchange.channel().leg().gate();
    if (gate == null) { // the exchange is over
      pipe.flush();
      return;
    }
    gate.afterRead(flush);
    int before = credit.getAndAdd(-n);
    if (before > 0 && before <= n && !pipe.isDone()) {
      gate.shut();
      exchange.waitsForCaller();
    }
  }

  /** Whether no more may come until the caller reads. */
  boolean isFull() {
    return credit.get() <= 0;
  }

  // ---- caller -------------------------------------------------------------------------------

  private void demand(int bytes) {
    int before = credit.getAndAdd(bytes);
    if (before <= 0 && before + bytes > 0) {
      exchange.channel().leg().inEventLoop(this::readOn);
    }
  }

  private void readOn() {
    ReadGate gate = exchange.channel().leg().gate();
    if (gate != null && !exchange.isOver() && credit.get() > 0) {
      exchange.channel().touch();
      gate.open();
    }
  }

  @Override
  protected ResponseBodyPipe pipe() {
    return pipe;
  }

  @Override
  protected Deadline deadline() {
    return deadline;
  }

  @Override
  protected IOException closed() {
    return new IOException("the stream is closed");
  }

  @Override
  protected IOException failure(Exception end) {
    if (end instanceof TimeoutException) {
      exchange.timedOut();
    }
    return AhcFailures.inWait("reading the response body", false, end);
  }

  @Override
  public void close() {
    if (!isClosed()) {
      if (!exchange.channel().leg().isShared() && !exchange.isOver()) {
        pipe.drain();
      }
      super.close();
    }
  }
}
