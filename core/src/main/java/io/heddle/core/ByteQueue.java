package io.heddle.core;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A queue of bytes for one producing and one consuming thread. Neither ever waits here, and the
 * queue itself has no bound: the pipes on top of it do both.
 *
 * <p>The bytes lie in a chain of segments, each filled to its end before the next begins, so that
 * the two counters alone say where everything is. A queue that was never used holds no memory. The
 * first segment is as large as the producer expects the whole to be, so that a short body costs no
 * more than itself; the next have {@link #SEGMENT} bytes. Segments that were read go back to the
 * producer: there are never more than the queue once needed at a time.
 */
final class ByteQueue {

  /** Bytes of a segment, other than a first one that is known to be enough. */
  static final int SEGMENT = 16 * 1024;

  private static final class Segment {
    final byte[] bytes;
    @Nullable Segment next; // published by `produced`

    Segment(int size) {
      bytes = new byte[size];
    }
  }

  private final int firstSize;

  // Producer only.
  private @Nullable Segment tail;
  private @Nullable Segment mine; // to be used again
  private int tailPos;
  private long put;

  // Consumer only.
  private @Nullable Segment head;
  private @Nullable Segment kept; // read, for the producer
  private int headPos;
  private long taken;

  // Shared. Each counter has one writer; `produced` publishes segments and bytes to the consumer.
  private @Nullable Segment first; // written once, before `produced` leaves 0
  private volatile long produced;
  private volatile long consumed;

  // Shared: segments to be used again. The consumer puts them where are none, the producer takes
  // all that are there.
  private volatile @Nullable Segment spares;

  /**
   * An empty queue.
   *
   * @param expected how many bytes will come in all, if known; else something small
   */
  ByteQueue(long expected) {
    firstSize = (int) Math.max(64, Math.min(expected, SEGMENT));
  }

  /** Bytes produced and not consumed; exact for either end as far as its own side goes. */
  long available() {
    return produced - consumed;
  }

  /** Bytes produced in all. */
  long produced() {
    return produced;
  }

  // ---- producer -----------------------------------------------------------------------------

  /** Takes all that remains in {@code src}. */
  void put(ByteBuffer src) {
    put += src.remaining();
    while (src.hasRemaining()) {
      Segment to = writable(src.remaining());
      int n = Math.min(src.remaining(), to.bytes.length - tailPos);
      src.get(to.bytes, tailPos, n);
      tailPos += n;
    }
    produced = put;
  }

  /** Takes {@code len} bytes of {@code b} from {@code off}. */
  void put(byte[] b, int off, int len) {
    int from = off;
    int end = off + len;
    while (from < end) {
      Segment to = writable(end - from);
      int n = Math.min(end - from, to.bytes.length - tailPos);
      System.arraycopy(b, from, to.bytes, tailPos, n);
      tailPos += n;
      from += n;
    }
    put += len;
    produced = put;
  }

  private Segment writable(int wanted) {
    Segment last = tail;
    if (last == null) {
      last = new Segment(Math.max(firstSize, Math.min(wanted, SEGMENT)));
      first = last;
      tail = last;
    } else if (tailPos == last.bytes.length) {
      Segment more = another();
      last.next = more;
      tail = more;
      tailPos = 0;
      last = more;
    }
    return last;
  }

  private Segment another() {
    Segment more = mine;
    if (more == null) {
      more = spares;
      if (more == null) {
        return new Segment(SEGMENT);
      }
      spares = null;
    }
    mine = more.next;
    more.next = null;
    return more;
  }

  // ---- consumer -----------------------------------------------------------------------------

  /**
   * Gives up to {@code len} bytes.
   *
   * @return how many; 0 if there are none now
   */
  int take(byte[] b, int off, int len) {
    int n = (int) Math.min(len, available());
    int to = off;
    int end = off + n;
    while (to < end) {
      Segment from = readable();
      int k = Math.min(end - to, from.bytes.length - headPos);
      System.arraycopy(from.bytes, headPos, b, to, k);
      headPos += k;
      to += k;
    }
    taken += n;
    consumed = taken;
    return n;
  }

  /**
   * A view of the next bytes, as many as lie in one piece; {@link #skip} takes them out.
   *
   * @return at least one byte, or null if there are none now
   */
  @Nullable ByteBuffer peek() {
    int n = (int) Math.min(SEGMENT, available());
    if (n == 0) {
      return null;
    }
    Segment from = readable();
    return ByteBuffer.wrap(from.bytes, headPos, Math.min(n, from.bytes.length - headPos));
  }

  /** Takes out {@code n} bytes that {@link #peek} showed. */
  void skip(int n) {
    headPos += n;
    taken += n;
    consumed = taken;
  }

  /** The segment of the next byte, which is there: {@code available() > 0}. */
  private Segment readable() {
    Segment from = head;
    if (from == null) {
      from = present(first);
      head = from;
    } else if (headPos == from.bytes.length) {
      Segment read = from;
      from = present(read.next);
      head = from;
      headPos = 0;
      if (read.bytes.length == SEGMENT) {
        read.next = kept;
        kept = read;
        if (spares == null) {
          spares = kept;
          kept = null;
        }
      }
    }
    return from;
  }

  private static Segment present(@Nullable Segment segment) {
    if (segment == null) {
      throw new AssertionError("more bytes counted than queued");
    }
    return segment;
  }
}
