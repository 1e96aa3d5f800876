package io.heddle.spring.boot;

import io.heddle.jetty.BlockingJettyClient;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.commons.logging.LogFactory;
import org.eclipse.jetty.client.Request;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.JettyClientHttpRequestFactory;

/**
 * Spring's factory for Jetty with requests of ours, and a client that it stops.
 *
 * <pre>
 *   NEW ── first request ──► STARTED ── destroy ──► DESTROYED
 *    └──────────────────────── destroy ────────────────▲
 * </pre>
 *
 * <p>A destroyed factory stays so: it refuses requests, and does not start its client again.
 */
final class JettyRequestFactory extends JettyClientHttpRequestFactory {

  private final BlockingJettyClient client;
  private final @Nullable Duration deadline;
  private final Consumer<JettyRequestFactory> onDestroy;

  private volatile boolean destroyed;

  /** Spring's default. */
  private volatile long readTimeoutMillis = 10_000;

  JettyRequestFactory(
      BlockingJettyClient client,
      @Nullable Duration deadline,
      Consumer<JettyRequestFactory> onDestroy) {
    super(client);
    this.client = client;
    this.deadline = deadline;
    this.onDestroy = onDestroy;
  }

  @Override
  public void setReadTimeout(long millis) {
    super.setReadTimeout(millis);
    readTimeoutMillis = millis;
  }

  @Override
  public void setReadTimeout(Duration timeout) {
    setReadTimeout(timeout.toMillis());
  }

  @Override
  public ClientHttpRequest createRequest(URI uri, HttpMethod method) throws IOException {
    try {
      afterPropertiesSet();
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("Jetty's client does not start: " + e.getMessage(), e);
    }
    Request request = client.newRequest(uri).method(method.name());
    if (deadline == null) {
      request.timeout(readTimeoutMillis, TimeUnit.MILLISECONDS);
      return new JettyFactoryRequest(request, readTimeoutMillis, Long.MAX_VALUE);
    }
    long nanos = TimeUnit.NANOSECONDS.convert(deadline); // at most 292 years
    request
        .timeout(nanos, TimeUnit.NANOSECONDS)
        .idleTimeout(readTimeoutMillis, TimeUnit.MILLISECONDS);
    return new JettyFactoryRequest(request, readTimeoutMillis, nanos);
  }

  /** Starts the client, unless it runs. */
  @Override
  public void afterPropertiesSet() throws Exception {
    refuseIfDestroyed();
    super.afterPropertiesSet();
    if (destroyed) { // meanwhile, and the client may have been stopped before it was started
      client.stop();
    }
    refuseIfDestroyed();
  }

  private void refuseIfDestroyed() throws IOException {
    if (destroyed) {
      throw new IOException(
          "This request factory and its Jetty client are closed, with the application context or by"
              + " destroy(): make no calls after that, or build another request factory");
    }
  }

  @Override
  public void destroy() {
    destroyed = true;
    onDestroy.accept(this);
    try {
      client.stop();
    } catch (Exception e) {
      LogFactory.getLog(JettyRequestFactory.class).warn("Jetty's client does not stop", e);
    }
  }
}
