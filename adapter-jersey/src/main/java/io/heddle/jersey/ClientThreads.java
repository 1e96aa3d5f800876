package io.heddle.jersey;

import jakarta.ws.rs.ConstrainedTo;
import jakarta.ws.rs.RuntimeType;
import jakarta.ws.rs.core.Configuration;
import jakarta.ws.rs.core.FeatureContext;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import org.glassfish.jersey.CommonProperties;
import org.glassfish.jersey.internal.spi.ForcedAutoDiscoverable;

/**
 * Makes the threads of {@code async()} and {@code rx()} virtual, for clients with Heddle's
 * connector only. Jersey discovers it.
 *
 * <p>Jersey asks for a client's settings before it asks for the client's connector. Each client
 * therefore gets a thread factory of ours, which behaves like Jersey's own until our connector
 * switches it. The user's own settings stay: an executor, a thread factory, or whether threads are
 * virtual.
 */
@ConstrainedTo(RuntimeType.CLIENT)
public final class ClientThreads implements ForcedAutoDiscoverable {

  /** Called by Jersey's service loader. */
  public ClientThreads() {}

  @Override
  public void configure(FeatureContext context) {
    Configuration config = context.getConfiguration();
    if (config.getProperty(CommonProperties.THREAD_FACTORY) == null
        && config.getProperty(CommonProperties.USE_VIRTUAL_THREADS) == null) {
      context.property(CommonProperties.THREAD_FACTORY, new Factory());
    }
  }

  /** Called before the client's first thread is made. */
  static void makeVirtual(Configuration config) {
    if (config.getProperty(CommonProperties.THREAD_FACTORY) instanceof Factory factory) {
      factory.threads = Thread.ofVirtual().factory();
    }
  }

  private static final class Factory implements ThreadFactory {
    private volatile ThreadFactory threads = Executors.defaultThreadFactory();

    @Override
    public Thread newThread(Runnable task) {
      return threads.newThread(task);
    }
  }
}
