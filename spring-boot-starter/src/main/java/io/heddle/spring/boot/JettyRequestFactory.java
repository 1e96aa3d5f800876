package io.heddle.spring.boot;

import io.heddle.jetty.BlockingJettyClient;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.LogFactory;
import org.eclipse.jetty.client.Request;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.JettyClientHttpRequestFactory;

/** Spring's factory for Jetty with requests of ours, and a client that it stops. */
final class JettyRequestFactory extends JettyClientHttpRequestFactory {

  private final BlockingJettyClient client;
  private final @Nullable Duration deadline;

  /** Spring's default. */
  private volatile long readTimeoutMillis = 10_000;

  JettyRequestFactory(BlockingJettyClient client, @Nullable Duration deadline) {
    super(client);
    this.client = client;
    this.deadline = deadline;
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
      afterPropertiesSet(); // starts the client, unless it runs
    } catch (Exception e) {
      throw new IOException("Jetty's client does not start: " + e.getMessage(), e);
    }
    Request request = client.newRequest(uri).method(method.name());
    if (deadline == null) {
      request.timeout(readTimeoutMillis, TimeUnit.MILLISECONDS);
    } else {
      request
          .timeout(deadline.toNanos(), TimeUnit.NANOSECONDS)
          .idleTimeout(readTimeoutMillis, TimeUnit.MILLISECONDS);
    }
    return new JettyFactoryRequest(request, readTimeoutMillis);
  }

  @Override
  public void destroy() {
    try {
      client.stop();
    } catch (Exception e) {
      LogFactory.getLog(JettyRequestFactory.class).warn("Jetty's client does not stop", e);
    }
  }
}
