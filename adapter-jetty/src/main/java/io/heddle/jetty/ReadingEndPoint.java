package io.heddle.jetty;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * A socket whose writes, once one has failed, do not fail before what the peer has sent is read. A
 * server that answers early and closes resets the connection: the answer is there to be read, but
 * Jetty ends an exchange with its first failed write.
 *
 * <pre>{@code
 * SOUND ──a write fails──▶ HELD     a write has no room; the request's body is told at once
 *                           │ ├──the input has ended, and a moment──▶ FAILED  as it did
 *                           │ └──close, idle timeout──▶               FAILED  as these have it
 * }</pre>
 *
 * <p>Where nobody reads, since the caller who would is still writing, it is the body that ends
 * this: its writer gets the failure, and then reads. Not over TLS; nor where nobody has begun to
 * read, as before the preface of HTTP/2 is written: nothing would end the hold.
 *
 * <p>Of HTTP/2 the connection is told later than all others that its socket is closed: what was
 * read before that, the end of a response say, has yet to come to its call, and Jetty brings
 * nothing there any more once the connection knows.
 *
 * <p>And a selector's thread reads for no more than {@value #TURN_MILLIS} ms at a time: Jetty reads
 * until there is nothing left, which is never so if the server is the faster of the two, and all
 * other connections of that selector would wait.
 */
final class ReadingEndPoint extends SocketChannelEndPoint {

  /** How long what was read last has to be understood, before the write fails. */
  private static final long MOMENT_MILLIS = 100;

  /** How long a selector's thread reads before it looks at its other connections. */
  private static final long TURN_MILLIS = 5;

  private final ManagedSelector selector;
  private final Scheduler scheduler;
  private final AtomicBoolean ending = new AtomicBoolean();

  // The selector's and the reader's, one after the other.
  private boolean reading;
  private long readingSince;

  private volatile long begunAt = System.nanoTime();
  private volatile boolean begun; // to be read
  private volatile boolean inputEnded;
  private volatile boolean failed;
  private volatile @Nullable IOException broken;
  private volatile @Nullable Consumer<Throwable> sender;
  private volatile Consumer<Runnable> lastly = Runnable::run;

  private ReadingEndPoint(
      SocketChannel channel, ManagedSelector selector, SelectionKey key, Scheduler scheduler) {
    super(channel, selector, key, scheduler);
    this.selector = selector;
    this.scheduler = scheduler;
  }

  /** The same, of this class; what is no plain socket stays as it is. */
  static EndPoint of(
      EndPoint made, ManagedSelector selector, SelectionKey key, Scheduler scheduler) {
    return made.getClass() == SocketChannelEndPoint.class
        ? new ReadingEndPoint(((SocketChannelEndPoint) made).getChannel(), selector, key, scheduler)
        : made;
  }

  /** The socket under a connection, however many layers there are; null if it is none of these. */
  static @Nullable ReadingEndPoint under(@Nullable EndPoint endPoint) {
    EndPoint each = endPoint;
    while (each instanceof EndPoint.Wrapper wrapper) {
      each = wrapper.unwrap();
    }
    return each instanceof ReadingEndPoint reading ? reading : null;
  }

  /** Says when it was begun to open it: before a name was looked up, and before TCP. */
  void begunAt(long nanos) {
    begunAt = nanos;
  }

  boolean wasBegunBefore(long nanos) {
    return begunAt - nanos < 0;
  }

  /** Who is to be told, and at once, that writes fail; null is nobody. */
  void tell(@Nullable Consumer<Throwable> sender) {
    this.sender = sender;
    IOException why = broken; // after the line above: who breaks it sees the sender, or is seen
    if (sender != null && why != null) {
      sender.accept(why);
    }
  }

  /**
   * Who says when the connection may know that its socket is closed, by running what it is given.
   */
  void lastly(Consumer<Runnable> lastly) {
    this.lastly = lastly;
  }

  @Override
  public void onClose(@Nullable Throwable cause) {
    if (cause == null) {
      getWriteFlusher().onClose();
      getFillInterest().onClose();
    } else {
      boolean unused = getWriteFlusher().onFail(cause);
      boolean unusedToo = getFillInterest().onFail(cause);
    }
    selector.submit(any -> {}); // which gives the socket's descriptor back with its next look
    lastly.accept(() -> super.onClose(cause));
  }

  /** The selector has looked at all connections: a turn begins with what is read next. */
  @Override
  public Runnable onSelected() {
    reading = false;
    return super.onSelected();
  }

  @Override
  protected void needsFillInterest() {
    begun = true;
    super.needsFillInterest();
  }

  @Override
  public int fill(ByteBuffer buffer) throws IOException {
    begun = true;
    if (isTurnOver()) {
      return 0; // as if there were nothing: the reader asks to be told when there is
    }
    int filled = super.fill(buffer);
    reading = filled > 0;
    if (filled < 0) {
      inputEnded = true;
      failSoon();
    }
    return filled;
  }

  private boolean isTurnOver() {
    if (Thread.currentThread().isVirtual()) {
      return false; // it holds up nobody
    }
    long now = System.nanoTime();
    if (!reading) {
      readingSince = now;
      return false;
    }
    if (now - readingSince < TimeUnit.MILLISECONDS.toNanos(TURN_MILLIS)) {
      return false;
    }
    reading = false;
    return true;
  }

  @Override
  public boolean flush(ByteBuffer... buffers) throws IOException {
    IOException why = broken;
    if (why != null) {
      if (failed) {
        throw new IOException(why.getMessage(), why);
      }
      return false;
    }
    try {
      return super.flush(buffers);
    } catch (IOException e) {
      if (!begun || getConnection() instanceof SslConnection) {
        throw e; // TLS reads no further while it has something to write
      }
      broken = e;
      why = e;
    }
    failSoon();
    Consumer<Throwable> told = sender;
    if (told != null) {
      told.accept(why);
    }
    return false;
  }

  /** A socket that is reset always has room: waiting for that would not be waiting. */
  @Override
  protected void onIncompleteFlush() {
    if (broken == null) {
      super.onIncompleteFlush();
    }
  }

  /** Fails the writes, if both have ended, once what was read has been understood. */
  private void failSoon() {
    if (broken == null || !inputEnded || !ending.compareAndSet(false, true)) {
      return;
    }
    try {
      Scheduler.Task unused = scheduler.schedule(this::fail, MOMENT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      failed = true; // the client is being stopped, which closes this
    }
  }

  private void fail() {
    IOException why = broken;
    if (why != null) {
      failed = true;
      boolean unused = getWriteFlusher().onFail(why);
    }
  }
}
