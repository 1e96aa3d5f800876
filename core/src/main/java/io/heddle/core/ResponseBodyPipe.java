package io.heddle.core;

import io.heddle.IoThread;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A response body on its way from the I/O thread that receives it to the caller that reads it.
 *
 * <pre>{@code
 * OPEN ──end────▶ ENDED    what is queued can be read, then −1
 *   ├────fail───▶ FAILED   what is queued can be read, then each read fails
 *   └─cancel,close,─▶ CLOSED   what is queued is dropped, as is all that comes; the canceller
 *     interrupt,              runs, once; each read fails with CancellationException
 *     deadline
 *   ENDED, FAILED and CLOSED are final; a later event does nothing.
 * }</pre>
 *
 * <p><b>Back pressure.</b> The library may send a window of bytes unasked. What the caller has read
 * goes back to it as {@link Demand} once it is half the window, so the pipe never holds more than
 * the window (plus what the library delivers beyond it), and a long body costs few requests.
 *
 * <p>Each time that one thread waits for the other costs more than to copy what is handed over. So
 * the window can grow: it doubles, up to a bound, when the library had used it up, and the caller
 * has read all of it before more came. A caller that is slow leaves it small.
 *
 * <p><b>Interrupt and deadline</b> end a body that is still coming, even while its bytes keep
 * flowing and no read would wait. A body that has arrived whole is served to its end.
 *
 * <p>One thread produces, one reads at a time; {@link #fail}, {@link #cancel} and {@link #close}
 * may come from any thread. What the producer wrote before {@link #offer} happens-before the read
 * of those bytes.
 */
public final class ResponseBodyPipe extends EndState {

  /** What it ends as: one of these, or a {@link Failure}. Without an end it is OPEN. */
  private enum End {
    ENDED,
    CLOSED
  }

  private static final int DRAIN_BYTES = 64 * 1024;
  private static final int DRAIN_MILLIS = 50;

  private final ByteQueue queue;
  private final int mostWindow;
  private final Demand demand;
  private final Canceller canceller;

  // Set before there is a reader.
  private volatile CallEvent event = CallEvent.OFF;
  private volatile boolean read; // to its end

  // Written by the reader.
  private volatile int window;

  // Reader only.
  private int unreturned;
  private long granted;
  private boolean usedUp;

  // Shared. Each writes the one, and then looks at the other: one at least sees that both are here.
  private volatile @Nullable Thread reader; // who reads, or read last
  private volatile @Nullable Thread closer; // who wants no more, and may read on

  /**
   * An open pipe.
   *
   * @param window how many bytes the library may send before it is asked for more
   * @param expected the length of the body in bytes, if it is known; else something small
   * @param demand asks the library for more
   * @param canceller aborts the exchange; runs if the body is given up before its end
   * @throws IllegalArgumentException if {@code window} is not positive
   */
  public ResponseBodyPipe(int window, long expected, Demand demand, Canceller canceller) {
    this(window, window, expected, demand, canceller);
  }

  /**
   * An open pipe whose window grows.
   *
   * @param window how many bytes the library may send before it is asked for more
   * @param mostWindow what that may become; then the library is asked for more than was read
   * @param expected the length of the body in bytes, if it is known; else something small
   * @param demand asks the library for more
   * @param canceller aborts the exchange; runs if the body is given up before its end
   * @throws IllegalArgumentException if {@code window} is not positive, or above {@code mostWindow}
   */
  public ResponseBodyPipe(
      int window, int mostWindow, long expected, Demand demand, Canceller canceller) {
    if (window <= 0) {
      throw new IllegalArgumentException("window must be positive: " + window);
    }
    if (mostWindow < window) {
      throw new IllegalArgumentException("window " + window + " is above its bound " + mostWindow);
    }
    this.queue = new ByteQueue(expected);
    this.window = window;
    this.mostWindow = mostWindow;
    this.granted = window;
    this.demand = Objects.requireNonNull(demand, "demand");
    this.canceller = Objects.requireNonNull(canceller, "canceller");
  }

  /**
   * With the end of this body, as its reader sees it, a call ends: this is told how. At once, if
   * the body was closed before.
   */
  public void ends(CallEvent call) {
    event = call;
    if (isClosed()) {
      call.end(CallEvent.End.CLOSED);
    } else if (read) {
      call.completed();
    }
  }

  // ---- I/O thread ---------------------------------------------------------------------------

  /**
   * Queues all that remains in {@code src}, which the library may use again at once. Never blocks.
   * Drops the bytes if nobody wants them any more.
   */
  public void offer(ByteBuffer src) {
    gather(src);
    flush();
  }

  /**
   * As {@link #offer}, but wakes the caller only when half the window is here. For one who brings
   * several pieces, and then calls {@link #flush}, {@link #end} or {@link #fail} without waiting
   * for anything.
   */
  public void gather(ByteBuffer src) {
    if (ending() != null) {
      src.position(src.limit());
      return;
    }
    queue.put(src);
    if (queue.available() >= window / 2) {
      wake(); // the caller in read
    }
  }

  /** The caller gets what was {@linkplain #gather gathered}. */
  public void flush() {
    wake(); // the caller in read
  }

  /** The body is complete. */
  public void end() {
    endAs(End.ENDED); // wakes the caller in read
  }

  /** The rest of the body will not come; any thread. */
  public void fail(Throwable failure) {
    endAs(new Failure(failure)); // wakes the caller in read
  }

  // ---- caller -------------------------------------------------------------------------------

  /**
   * Reads what is there, or waits for it.
   *
   * @return how many bytes, at least 1; 0 if {@code len} is 0; −1 at the end of the body
   * @throws InterruptedException if the caller is interrupted and the body not there as a whole;
   *     the pipe is closed, the flag cleared
   * @throws TimeoutException if the deadline is over and the body not there as a whole; the pipe is
   *     closed
   * @throws ExecutionException if the body failed; the cause is what the library reported
   * @throws CancellationException if the pipe is closed, or another thread closes it just now
   * @throws IndexOutOfBoundsException if {@code off} and {@code len} do not lie in {@code b}
   * @throws IllegalStateException if another thread waits in a read, or on an {@link IoThread}
   */
  @SuppressWarnings("ReferenceEquality") // that very thread
  public int read(byte[] b, int off, int len, Deadline deadline)
      throws InterruptedException, TimeoutException, ExecutionException {
    Objects.checkFromIndexSize(off, len, b.length);
    if (len == 0) {
      return 0;
    }
    Thread me = Thread.currentThread();
    if (reader != me) {
      reader = me;
    }
    Thread closes = closer;
    if (closes != null && closes != me) {
      throw new CancellationException("another thread closes the body");
    }
    if (ending() == null) { // more is to come: do not go on for ever because bytes keep flowing
      giveUpIf(Thread.currentThread().isInterrupted(), deadline.isExpired());
    }
    for (; ; ) {
      Object is = ending(); // before the look into the queue: what came before the end is there
      if (is == End.CLOSED) {
        throw new CancellationException("the body is closed");
      }
      int n = queue.take(b, off, len);
      if (n > 0) {
        returnDemand(n);
        return n;
      }
      if (is == End.ENDED) {
        read = true; // before the look at `event`, which may just be set
        event.completed();
        return -1;
      }
      if (is instanceof Failure failure) {
        event.failed(failure.cause());
        throw new ExecutionException(failure.cause());
      }
      widen();
      Outcome waited = waitUntil(deadline);
      giveUpIf(waited == Outcome.INTERRUPTED, waited == Outcome.EXPIRED);
    }
  }

  /**
   * Reads on and drops what comes, so that a short rest costs no connection: to the end of the
   * body, but for at most 64 KiB and 50 ms; not at all if it is {@linkplain #closing not for this
   * thread to do so}. Never throws. What is not at its end then can only be closed.
   */
  public void drain() {
    if (!closing()) {
      return;
    }
    byte[] scrap = new byte[4096];
    Deadline patience = Deadline.afterNanos(TimeUnit.MILLISECONDS.toNanos(DRAIN_MILLIS));
    try {
      for (int left = DRAIN_BYTES; left > 0; ) {
        int n = read(scrap, 0, Math.min(left, scrap.length), patience);
        if (n < 0) {
          return;
        }
        left -= n;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // nothing is thrown to say so; the flag has to
    } catch (TimeoutException | ExecutionException | IllegalStateException e) {
      return; // given up, or about to be; a body that nobody wants may well be broken
    }
  }

  /**
   * The body is about to be closed by this thread, which may read on to spare a connection: to give
   * that up is to close.
   *
   * @return whether it may; false if another thread has read, and may be doing so: who closes a
   *     body under its reader takes no bytes from him
   */
  @SuppressWarnings("ReferenceEquality") // that very thread
  public boolean closing() {
    Thread me = Thread.currentThread();
    closer = me;
    Thread reads = reader;
    return reads == null || reads == me;
  }

  /** How many bytes can be read without waiting; never throws. */
  public int available() {
    return ending() == End.CLOSED ? 0 : (int) Math.min(Integer.MAX_VALUE, queue.available());
  }

  /**
   * Gives up the rest of the body: drops what is queued and, unless the body ended or failed
   * before, runs the canceller. Does not wait and does not drain. Any number of times.
   */
  public void close() {
    if (!giveUp(CallEvent.End.CLOSED)) {
      Object is = ending();
      if (is == End.ENDED) {
        event.completed();
      } else if (is instanceof Failure failure) {
        event.failed(failure.cause());
      }
    }
  }

  // ---- any thread ---------------------------------------------------------------------------

  /**
   * Closes the pipe from another thread; a reader that waits gets {@link CancellationException}.
   *
   * @return whether this closed it; false if it had ended, failed or been closed
   */
  public boolean cancel() {
    return giveUp(closer != null ? CallEvent.End.CLOSED : CallEvent.End.CANCELLED);
  }

  private boolean giveUp(CallEvent.End how) {
    if (!endAs(End.CLOSED)) { // wakes the caller in read
      return false;
    }
    event.end(how);
    canceller.cancel();
    return true;
  }

  /** How many bytes may wait now. */
  public int window() {
    return window;
  }

  /** Whether the body ended, failed or was closed; bytes may still wait to be read. */
  public boolean isDone() {
    return ending() != null;
  }

  /** Whether the body was given up before its end: whoever did that tells the call's event. */
  public boolean isClosed() {
    return ending() == End.CLOSED;
  }

  @Override
  boolean isReady() {
    return ending() != null || queue.available() > 0;
  }

  /** A body that ended at the same moment beats both. */
  private void giveUpIf(boolean interrupted, boolean expired)
      throws InterruptedException, TimeoutException {
    if (interrupted && giveUp(closer != null ? CallEvent.End.CLOSED : CallEvent.End.INTERRUPTED)) {
      Thread.interrupted(); // the exception carries it on
      throw new InterruptedException("interrupted while reading a body");
    }
    if (expired && giveUp(closer != null ? CallEvent.End.CLOSED : CallEvent.End.TIMEOUT)) {
      throw new TimeoutException("the deadline is over while reading a body");
    }
  }

  private void returnDemand(int n) {
    unreturned += n;
    if (unreturned >= Math.max(1, window / 2) && ending() == null) {
      usedUp |= queue.produced() >= granted;
      int back = unreturned;
      unreturned = 0;
      request(back);
    }
  }

  /** There is nothing left to read, and its reader is about to wait. */
  private void widen() {
    int more = Math.min(window, mostWindow - window);
    if (usedUp && more > 0 && ending() == null && closer == null) {
      usedUp = false;
      int wider = window + more; // which this thread alone writes
      window = wider;
      request(more);
    }
  }

  private void request(int bytes) {
    granted += bytes;
    demand.request(bytes);
  }

  @Override
  public String toString() {
    Object is = ending();
    return "ResponseBodyPipe[" + (is == null ? "OPEN" : is) + ", " + queue.available() + " bytes]";
  }
}
