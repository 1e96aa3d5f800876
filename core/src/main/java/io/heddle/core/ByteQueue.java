package io.heddle.core;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A queue of bytes for one producing and one consuming thread. Neither ever waits here, and the
 * queue itself has no bound: the pipes on top of it do both.
 *
 * <p>The bytes lie in a chain of segments, each filled to its end before the next begins, so that
 * the two counters alone say where everything is. An empty queue holds no memory. The first segment
 * is as large as the producer expects the whole to be, so that a short body costs no more than
 * itself; the next have {@link #SEGMENT} bytes. A segment that was read goes back to the producer.
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
  private int tailPos;
  private long put;

  // Consumer only.
  private @Nullable Segment head;
  private int headPos;
  private long taken;

  // Shared. Each counter has one writer; `produced` publishes segments and bytes to the consumer.
  private @Nullable Segment first; // written once, before `produced` leaves 0
  private volatile long produced;
  private volatile long consumed;
  private volatile @Nullable Segment spare;

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
      Segment more = spare;
      if (more == null) {
        more = new Segment(SEGMENT);
      } else {
        spare = null; // one that the consumer puts here right now is lost, and no harm done
      }
      last.next = more;
      tail = more;
      tailPos = 0;
      last = more;
    }
    return last;
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
        read.next = null;
        spare = read;
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
