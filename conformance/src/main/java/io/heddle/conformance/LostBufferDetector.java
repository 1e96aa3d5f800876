package io.heddle.conformance;

import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;

/**
 * Netty's leak detector, but keeps what that would log, for {@link LostBuffers}. The server
 * installs it; tests that use Netty before the first server have to name it in the system property
 * {@code io.netty.customResourceLeakDetector}, since Netty asks for its detector only once.
 *
 * @param <T> what may be lost
 */
public final class LostBufferDetector<T> extends ResourceLeakDetector<T> {

  /** A detector for one class of resources. */
  public LostBufferDetector(Class<?> resource, int samplingInterval) {
    super(resource, samplingInterval);
  }

  /** As Netty makes it from its name; {@code maxActive} is of no use, as in Netty itself. */
  public LostBufferDetector(Class<?> resource, int samplingInterval, long maxActive) {
    this(resource, samplingInterval);
  }

  @Override
  protected boolean needReport() {
    return true;
  }

  @Override
  protected void reportTracedLeak(String resource, String records) {
    if (resource.equals(ByteBuf.class.getSimpleName())) {
      LostBuffers.add(resource + records);
    }
  }

  @Override
  protected void reportUntracedLeak(String resource) {
    reportTracedLeak(resource, "");
  }
}
