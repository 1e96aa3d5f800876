package io.heddle.conformance;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Buffers of Netty's that were forgotten without being released, in this JVM, as Netty's own leak
 * detector finds them: when a further buffer is made after the garbage collector has found one.
 *
 * <p>Netty asks for its detector once, when its first buffer is made: see {@link
 * LostBufferDetector}.
 */
final class LostBuffers implements AutoCloseable {

  private static final String CONTROL = "lost on purpose";

  private static final AtomicInteger CONTROLS = new AtomicInteger();

  private static final Queue<String> FOUND = new ConcurrentLinkedQueue<>();

  private final ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();

  private final List<String> earlier;

  /** Looks at every buffer that is made from now on. */
  LostBuffers() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    earlier = found(); // of another rule, and not told again
  }

  static void add(String lost) {
    FOUND.add(lost);
  }

  static void install() {
    ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(
        new ResourceLeakDetectorFactory() {
          @Override
          @SuppressWarnings("deprecation") // abstract there
          public <T> ResourceLeakDetector<T> newResourceLeakDetector(
              Class<T> resource, int samplingInterval, long maxActive) {
            return new LostBufferDetector<>(resource, samplingInterval);
          }
        });
  }

  /** Those that were lost before: Netty looks at some buffers always, and tells of each once. */
  List<String> earlier() {
    return earlier;
  }

  /**
   * Those that were lost since the beginning.
   *
   * @throws AssertionError if one that is lost on purpose is not found
   */
  List<String> found() {
    loseOne();
    List<String> found = new ArrayList<>();
    Bounds.await(
        Bounds.LONG,
        "Netty's leak detector finds a buffer that was lost on purpose",
        () -> {
          System.gc();
          PooledByteBufAllocator.DEFAULT.directBuffer(16).release(); // tells of what was found
          for (String each = FOUND.poll(); each != null; each = FOUND.poll()) {
            found.add(each);
          }
          return found.stream().anyMatch(each -> each.contains(CONTROL));
        });
    found.removeIf(each -> each.contains(CONTROL));
    return found;
  }

  private static void loseOne() {
    // With a number, since Netty tells of what looks the same only once.
    PooledByteBufAllocator.DEFAULT
        .directBuffer(16)
        .touch(CONTROL + ", " + CONTROLS.incrementAndGet());
  }

  @Override
  public void close() {
    ResourceLeakDetector.setLevel(before);
  }
}
