package io.heddle.core;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ByteQueueTest {

  private static byte[] bytes(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  @Test
  void anEmptyQueueGivesNothing() {
    ByteQueue queue = new ByteQueue(0);
    assertEquals(0, queue.available());
    assertEquals(0, queue.take(new byte[4], 0, 4));
    assertNull(queue.peek());
  }

  /** Smaller than, equal to, and larger than a segment; expected rightly, too small, too large. */
  @ParameterizedTest
  @ValueSource(
      ints = {
        1,
        63,
        64,
        65,
        ByteQueue.SEGMENT - 1,
        ByteQueue.SEGMENT,
        ByteQueue.SEGMENT + 1,
        3 * ByteQueue.SEGMENT + 7
      })
  void whatGoesInComesOut(int length) {
    byte[] in = bytes(length, length);
    for (long expected : new long[] {-1, 0, length, 2L * length, Long.MAX_VALUE}) {
      ByteQueue queue = new ByteQueue(expected);
      queue.put(ByteBuffer.wrap(in));
      assertEquals(length, queue.available());
      byte[] out = new byte[length];
      assertEquals(length, queue.take(out, 0, length));
      assertArrayEquals(in, out);
      assertEquals(0, queue.available());
    }
  }

  @Test
  void aDirectBufferIsTakenToItsLimit() {
    ByteBuffer src = ByteBuffer.allocateDirect(10).put(bytes(1, 10)).flip().position(2).limit(7);
    ByteQueue queue = new ByteQueue(0);
    queue.put(src);
    assertEquals(7, src.position());
    assertEquals(5, queue.available());
  }

  /** Puts, takes and peeks of random sizes; the seed is the test's own. */
  @Test
  void anyMixOfStepsKeepsTheOrder() {
    for (int seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      byte[] in = bytes(seed, 400_000);
      byte[] out = new byte[in.length];
      ByteQueue queue = new ByteQueue(random.nextInt(40_000));
      int put = 0;
      int taken = 0;
      while (taken < in.length) {
        int n = Math.min(in.length - put, random.nextInt(2 * ByteQueue.SEGMENT));
        if (random.nextBoolean()) {
          queue.put(in, put, n);
        } else {
          queue.put(ByteBuffer.wrap(in, put, n));
        }
        put += n;
        if (random.nextBoolean()) {
          taken += queue.take(out, taken, random.nextInt(out.length - taken + 1));
        } else {
          ByteBuffer view = queue.peek();
          if (view != null) {
            int some = random.nextInt(view.remaining() + 1);
            view.get(out, taken, some);
            queue.skip(some);
            taken += some;
          }
        }
        assertEquals(put - taken, queue.available(), "seed " + seed);
      }
      assertArrayEquals(in, out, "seed " + seed);
    }
  }

  @Test
  void peekShowsWithoutTaking() {
    ByteQueue queue = new ByteQueue(0);
    queue.put(new byte[] {1, 2, 3}, 0, 3);
    ByteBuffer view = queue.peek();
    assertNotNull(view);
    assertEquals(3, view.remaining());
    assertEquals(3, queue.available());
    queue.skip(2);
    byte[] rest = new byte[3];
    assertEquals(1, queue.take(rest, 0, 3));
    assertEquals(3, rest[0]);
  }
}
