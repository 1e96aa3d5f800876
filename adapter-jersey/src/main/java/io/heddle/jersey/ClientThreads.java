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
 * Lets the threads on which Jersey runs {@code async()} and {@code rx()} be virtual, for clients
 * that have our connector and no others.
 *
 * <p>Jersey asks for a client's settings before it asks for the client's connector. So each client
 * gets a thread factory of ours, which does what Jersey's own does until our connector turns it.
 * What the user has set stays: an executor, a thread factory, or whether threads are virtual.
 */
@ConstrainedTo(RuntimeType.CLIENT)
public final class ClientThreads implements ForcedAutoDiscoverable {

  /** For Jersey's service loader. */
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
