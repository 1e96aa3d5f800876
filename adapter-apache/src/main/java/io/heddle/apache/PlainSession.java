package io.heddle.apache;

import io.heddle.core.Waiter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.Lock;
import org.apache.hc.core5.reactor.Command;
import org.apache.hc.core5.reactor.EventMask;
import org.apache.hc.core5.reactor.IOSession;
import org.jspecify.annotations.Nullable;

/**
 * A session without TLS, which spares its I/O thread wake-ups: those for a change of events that
 * changes nothing, and those for what a caller sends itself, see {@link Http1Session}. And it has
 * its thread read no more than {@value #TURN} bytes at a time: the engine reads until there is
 * nothing left, which is never so if the server is the faster of the two, and all other connections
 * of that thread would wait. Over TLS the engine is given one buffer at a time.
 *
 * <p>A change that changes nothing needs no wake-up: who made the same change before has woken the
 * I/O thread, or is about to. Each change is made under the session's lock, as the reactor's are.
 */
final class PlainSession extends ForwardingSession {

  /** Bytes of one connection, before others have their turn. */
  private static final int TURN = 64 * 1024;

  // Of whoever reads: over HTTP/1.1, has the turn.
  private int read;

  // Written by the caller that sends; others see another thread than themselves.
  private volatile @Nullable Thread sender;

  // Of the caller that sends: its request, and whether the engine wants to write on.
  private @Nullable Command request;
  private boolean outputWanted;

  PlainSession(IOSession session) {
    super(session);
  }

  /** An event: all others have had their turn. */
  void beginReading() {
    read = 0;
  }

  /** Reads nothing when the turn is over: what is left is an event of its own, later. */
  @Override
  public int read(ByteBuffer dst) throws IOException {
    if (read >= TURN) {
      return 0;
    }
    Lock reading = Waiter.MONITORS_HOLD_CARRIERS ? getLock() : null; // see close there
    if (reading != null) {
      reading.lock();
    }
    try {
      int bytes = super.read(dst);
      read += Math.max(0, bytes);
      return bytes;
    } finally {
      if (reading != null) {
        reading.unlock();
      }
    }
  }

  /**
   * This thread, a caller, tells the engine from now on that there is room for output. The engine
   * finds this request before those that are enqueued.
   */
  void beginSending(@Nullable Command request) {
    this.request = request;
    outputWanted = true;
    sender = Thread.currentThread();
  }

  /** Whether the engine wants to hear again that there is room. */
  boolean isOutputWanted() {
    return outputWanted;
  }

  /**
   * The rest is the I/O thread's.
   *
   * @return asks it for what is not written, or for the request if the engine did not take it; null
   *     if there is nothing left to do
   */
  @Nullable Runnable endSending() {
    sender = null;
    Command left = request;
    request = null;
    if (left != null) {
      return () -> ReactorConnection.enqueue(session, left);
    }
    return outputWanted ? () -> setEvent(EventMask.WRITE) : null;
  }

  private boolean isSender() {
    return Thread.currentThread().equals(sender);
  }

  @Override
  public @Nullable Command poll() {
    Command first = isSender() ? request : null;
    if (first == null) {
      return session.poll();
    }
    request = null;
    return first;
  }

  @Override
  public void setEvent(int op) {
    if (op == EventMask.WRITE && isSender()) {
      outputWanted = true;
    } else {
      change(op, op);
    }
  }

  @Override
  public void clearEvent(int op) {
    if (op == EventMask.WRITE && isSender()) {
      outputWanted = false; // where the I/O thread was asked before, it finds nothing to write
    } else {
      change(op, 0);
    }
  }

  private void change(int op, int to) {
    Lock lock = session.getLock();
    lock.lock();
    try {
      if (session.getHandler() instanceof Http1Session // over HTTP/2 no gain was seen
          && (session.getStatus() == Status.CLOSED || (session.getEventMask() & op) == to)) {
        return;
      }
      if (to == 0) {
        session.clearEvent(op);
      } else {
        session.setEvent(op);
      }
    } finally {
      lock.unlock();
    }
  }
}
