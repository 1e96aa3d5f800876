package io.heddle.core;

import io.heddle.IoThread;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A request body on its way from the caller that writes it to the I/O thread that sends it, or to
 * the socket itself.
 *
 * <pre>{@code
 * OPEN ──finish──▶ FINISHED   what is queued is sent, then the end
 *   ├────stop────▶ STOPPED    the peer wants no more: what is queued is dropped, write says false
 *   ├────fail────▶ FAILED     what is queued is dropped, each write fails
 *   └─cancel,interrupt,─▶ CLOSED   what is queued is dropped, the canceller runs, once; each write
 *     deadline                     fails with CancellationException
 *   FINISHED can still become STOPPED or FAILED; else the last four are final.
 * }</pre>
 *
 * <p>An upload that is given up ends as CLOSED, never as FINISHED, so that a cut body is not taken
 * for a whole one.
 *
 * <p><b>Back pressure.</b> At most {@code capacity} bytes are queued; a writer that finds no room
 * waits until half of it is free. The I/O thread is signalled when it had run out of bytes, not at
 * each write.
 *
 * <p><b>A writer that sends.</b> Where the library lets the writer's thread take the I/O thread's
 * part, a write of {@value #WORTH_SENDING} bytes or more goes into the sink from the writer's own
 * array, as far as there is room: what is queued before it, then an offer of at most {@code
 * capacity} bytes, then the next. The rest of an offer that the sink does not take is queued, and
 * from then on the I/O thread has its turn, until it has run out of bytes. An offer is seen by the
 * writer's thread alone, and is over when {@code write} returns.
 *
 * <p><b>An early answer.</b> A server may answer with an error before it has the whole body. Some
 * then read the rest, and end their answer only after it; others read no more, and the answer must
 * not wait for a body that nobody takes. So once the peer has {@linkplain #answered answered}, the
 * writer goes on as long as bytes flow, and stops where none of them leave for {@value
 * #STALL_MILLIS} ms.
 *
 * <p>One thread writes, one at a time drains; {@link #answered}, {@link #stop}, {@link #fail} and
 * {@link #cancel} may come from any thread.
 */
public final class RequestBodyPipe extends EndState {

  /** Where the I/O thread puts the bytes: a channel that may have no room. */
  @FunctionalInterface
  public interface Sink {

    /**
     * Takes as much of {@code src} as there is room for; never blocks.
     *
     * @return how many bytes; 0 if there is no room now
     */
    int write(ByteBuffer src) throws IOException;
  }

  /** What it ends as: one of these, or a {@link Failure}. Without an end it is OPEN. */
  private enum End {
    FINISHED,
    STOPPED,
    CLOSED
  }

  /** Bytes of the writer's array that are on their way into the sink, on its own thread. */
  private record Offer(Thread writer, ByteBuffer bytes) {}

  private static final int STALL_MILLIS = 500;

  private static final int WORTH_SENDING = ByteQueue.SEGMENT;

  /** Bytes of an offer at a time: a socket copies what it is given before it knows its room. */
  private static final int PIECE = 128 * 1024;

  private final ByteQueue queue;
  private final int capacity;
  private final Runnable signal;
  private final boolean writerSends;
  private final Canceller canceller;

  // Of the writer: other threads may see it or not, and heed it in neither case.
  private @Nullable Offer offer;

  // Shared: set by whoever drains and finds nothing more. Cleared by the writer: when it signals,
  // and when it finds no more room in the sink, since the I/O thread then comes by itself.
  private volatile boolean starved;

  // Whoever drains.
  private long drained;

  // Shared: whether the peer has answered; and whether the writer knows, who writes it.
  private volatile boolean answered;
  private volatile boolean answerSeen;

  /**
   * An open pipe whose writer cannot send. The I/O thread is taken to be idle, so the first bytes
   * signal it.
   *
   * @param capacity how many bytes may be queued
   * @param expected the length of the body in bytes, if it is known; else something small
   * @param signal asks the library to come and drain; called by the writer, must not wait
   * @param canceller aborts the exchange; runs if the body is given up before its end
   * @throws IllegalArgumentException if {@code capacity} is not positive
   */
  public RequestBodyPipe(int capacity, long expected, Runnable signal, Canceller canceller) {
    this(capacity, expected, signal, false, canceller);
  }

  /**
   * An open pipe.
   *
   * @param writerSends whether {@code signal} itself {@linkplain #drainTo drains} the pipe, on the
   *     writer's thread, unless another thread does at that moment
   * @see #RequestBodyPipe(int, long, Runnable, Canceller) the other parameters
   */
  public RequestBodyPipe(
      int capacity, long expected, Runnable signal, boolean writerSends, Canceller canceller) {
    if (capacity <= 0) {
      throw new IllegalArgumentException("capacity must be positive: " + capacity);
    }
    this.queue = new ByteQueue(expected);
    this.capacity = capacity;
    this.signal = Objects.requireNonNull(signal, "signal");
    this.writerSends = writerSends;
    this.canceller = Objects.requireNonNull(canceller, "canceller");
    this.starved = true;
  }

  // ---- caller -------------------------------------------------------------------------------

  /**
   * Sends or queues these bytes, waiting for room as often as needed.
   *
   * @return true; false if the peer wants no more of the body, and the rest may be left out
   * @throws InterruptedException if the caller was interrupted before, while it waited for room, or
   *     while it sent a part; the pipe is closed, the flag cleared
   * @throws TimeoutException if the deadline is over; the pipe is closed
   * @throws ExecutionException if the exchange failed; the cause is what the library reported
   * @throws CancellationException if the pipe is closed
   * @throws IndexOutOfBoundsException if {@code off} and {@code len} do not lie in {@code b}
   * @throws IllegalStateException after {@link #finish}, if another thread waits in a write, or on
   *     an {@link IoThread}
   */
  public boolean write(byte[] b, int off, int len, Deadline deadline)
      throws InterruptedException, TimeoutException, ExecutionException {
    Objects.checkFromIndexSize(off, len, b.length);
    giveUpIf(Thread.currentThread().isInterrupted(), deadline.isExpired());
    int from = off;
    int rest = len;
    while (wanted()) {
      int sent = trySending(b, from, rest);
      int n = sent > 0 ? sent : enqueue(b, from, rest);
      from += n;
      rest -= n;
      if (rest == 0) {
        return true;
      }
      if (sent > 0) { // it may go on so for long
        giveUpIf(Thread.currentThread().isInterrupted(), deadline.isExpired());
        continue;
      }
      flush();
      Outcome waited = waitUntil(untilStalled(deadline));
      if (waited == Outcome.EXPIRED && !deadline.isExpired()) {
        stop(); // after an answer; unless an end came first
      } else {
        giveUpIf(waited == Outcome.INTERRUPTED, waited == Outcome.EXPIRED);
      }
    }
    return false;
  }

  /** Takes as many bytes as there is room for. */
  private int enqueue(byte[] b, int off, int len) {
    int n = (int) Math.min(len, capacity - queue.available());
    queue.put(b, off, n);
    return n;
  }

  /**
   * Offers bytes to the sink, on this thread.
   *
   * @return how many were taken, by the sink or into the queue; 0 if this thread could not send, or
   *     if the I/O thread has not sent all that came before
   */
  private int trySending(byte[] b, int off, int len) {
    if (!writerSends || len < WORTH_SENDING || !starved) {
      return 0;
    }
    ByteBuffer bytes = ByteBuffer.wrap(b, off, Math.min(len, capacity));
    offer = new Offer(Thread.currentThread(), bytes);
    try {
      signal.run();
    } finally {
      offer = null;
    }
    return bytes.position() - off;
  }

  private Deadline untilStalled(Deadline deadline) {
    if (!answered) {
      return deadline;
    }
    answerSeen = true; // so it is no reason to wake the writer any more
    return deadline.earlier(Deadline.afterNanos(TimeUnit.MILLISECONDS.toNanos(STALL_MILLIS)));
  }

  /** Makes what was written go out now, and not with more: signals the I/O thread if it is idle. */
  public void flush() {
    if (starved && queue.available() > 0) {
      starved = false;
      signal.run();
    }
  }

  /**
   * The body is complete.
   *
   * @throws ExecutionException if the exchange failed; the cause is what the library reported
   * @throws CancellationException if the pipe is closed
   * @throws IllegalStateException if it is finished already
   */
  public void finish() throws ExecutionException {
    if (wanted() && endAs(End.FINISHED)) { // wakes nobody: the writer is here
      starved = false;
      signal.run();
    }
  }

  // ---- I/O thread, or the writer that sends --------------------------------------------------

  /**
   * Moves queued bytes, then those that this thread offers, into the sink, until there are no more
   * or the sink has no room; wakes a writer that now has room. Never blocks.
   *
   * @return whether the body is complete and all of it in the sink: the time to end the stream
   */
  public boolean drainTo(Sink sink) throws IOException {
    Object is = ending();
    if (is != null && is != End.FINISHED) {
      return false; // what is queued is not wanted, or not whole
    }
    if (move(sink) && moveOffer(sink)) {
      // Say so and look again: a writer that queued bytes before it could see this did not signal.
      starved = true;
      if (queue.available() > 0) {
        move(sink);
      }
    } else if (myOffer() != null) {
      starved = false; // as the writer, which this thread is: room is missing, not bytes
    }
    wakeIfRoom();
    return ending() == End.FINISHED && queue.available() == 0;
  }

  /**
   * How many bytes have gone into the sink; for the thread that drains.
   *
   * <p>Where they are as many as the message declares, the peer has the whole body, and may answer,
   * before the writer comes to {@link #finish}. An adapter over HTTP/1.1 ends the message then:
   * else the answer would be whole before the request, and its connection lost.
   */
  public long drained() {
    return drained;
  }

  /** How many bytes there are to drain, for this thread; never throws. */
  public int available() {
    Object is = ending();
    if (is != null && is != End.FINISHED) {
      return 0;
    }
    ByteBuffer own = myOffer();
    return (int) queue.available() + (own == null ? 0 : own.remaining());
  }

  /** Whether the body is complete; some of it may still be queued. Any thread. */
  public boolean isFinished() {
    return ending() == End.FINISHED;
  }

  /**
   * Whether it is the writer that the I/O thread waits for: it has found nothing more, and the
   * writer has neither signalled since nor come to an end.
   */
  public boolean isStarved() {
    return starved && ending() == null;
  }

  /** The peer has answered with an error, and may want no more: see above. */
  public void answered() {
    answered = true;
    wake(); // the caller in write, who waits for less long from now on
  }

  /** The peer wants no more: its answer is whole before the end of the body. */
  public void stop() {
    finishAs(End.STOPPED);
  }

  /** The exchange failed; any thread. */
  public void fail(Throwable failure) {
    finishAs(new Failure(failure));
  }

  // ---- any thread ---------------------------------------------------------------------------

  /**
   * Closes the pipe; a writer that waits gets {@link CancellationException}.
   *
   * @return whether this closed it; false if it had been finished, stopped, failed or closed
   */
  public boolean cancel() {
    if (!endAs(End.CLOSED)) { // wakes the caller in write
      return false;
    }
    canceller.cancel();
    return true;
  }

  @Override
  boolean isReady() {
    return ending() != null || queue.available() <= capacity / 2 || (answered && !answerSeen);
  }

  /** Whether more bytes are wanted; throws what keeps the writer from writing. */
  private boolean wanted() throws ExecutionException {
    Object is = ending();
    if (is == null) {
      return true;
    }
    if (is == End.STOPPED) {
      return false;
    }
    if (is == End.FINISHED) {
      throw new IllegalStateException("the body is finished");
    }
    if (is instanceof Failure failure) {
      throw new ExecutionException(failure.cause());
    }
    throw new CancellationException("the body is closed");
  }

  private void giveUpIf(boolean interrupted, boolean expired)
      throws InterruptedException, TimeoutException {
    if (interrupted && cancel()) {
      Thread.interrupted(); // the exception carries it on
      throw new InterruptedException("interrupted while writing a body");
    }
    if (expired && cancel()) {
      throw new TimeoutException("the deadline is over while writing a body");
    }
  }

  /** Whether everything queued went into the sink. */
  private boolean move(Sink sink) throws IOException {
    for (ByteBuffer next = queue.peek(); next != null; next = queue.peek()) {
      int all = next.remaining();
      int n = sink.write(next);
      queue.skip(n);
      drained += n;
      if (n < all) {
        return false;
      }
    }
    return true;
  }

  /** Whether all that this thread offers went into the sink; else what is left is queued. */
  private boolean moveOffer(Sink sink) throws IOException {
    ByteBuffer own = myOffer();
    while (own != null && own.hasRemaining()) {
      int all = Math.min(PIECE, own.remaining());
      int n = sink.write(own.slice(own.position(), all));
      own.position(own.position() + n);
      drained += n;
      if (n < all) {
        queue.put(own);
        return false;
      }
    }
    return true;
  }

  /** What this thread offers; null if it is not the writer's, or offers nothing. */
  private @Nullable ByteBuffer myOffer() {
    Offer now = offer;
    return now != null && now.writer().equals(Thread.currentThread()) ? now.bytes() : null;
  }

  private void wakeIfRoom() {
    if (queue.available() <= capacity / 2) {
      wake(); // the caller in write
    }
  }

  private void finishAs(Object how) {
    if (!endAs(how)) { // wakes the caller in write
      endAs(how, End.FINISHED);
    }
  }

  @Override
  public String toString() {
    Object is = ending();
    return "RequestBodyPipe[" + (is == null ? "OPEN" : is) + ", " + queue.available() + " bytes]";
  }
}
