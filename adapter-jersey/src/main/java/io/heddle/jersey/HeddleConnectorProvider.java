package io.heddle.jersey;

import io.heddle.apache.BlockingConnectionManager;
import io.heddle.apache.BlockingConnectionManagerBuilder;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.core.Configuration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.net.ssl.HostnameVerifier;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.client5.http.ssl.HostnameVerificationPolicy;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.nio.ssl.TlsStrategy;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.reactor.ssl.SSLBufferMode;
import org.glassfish.jersey.apache5.connector.Apache5ClientProperties;
import org.glassfish.jersey.apache5.connector.Apache5ConnectorProvider;
import org.glassfish.jersey.client.ClientConfig;
import org.glassfish.jersey.client.ClientProperties;
import org.glassfish.jersey.client.spi.Connector;
import org.glassfish.jersey.client.spi.ConnectorProvider;
import org.glassfish.jersey.internal.util.PropertiesHelper;
import org.jspecify.annotations.Nullable;

/**
 * Jersey's Apache connector over a {@link BlockingConnectionManager}. Jersey finds it by itself
 * when it is on the class path or module path; or it is named:
 *
 * <pre>{@code
 * Client client = ClientBuilder.newClient();                  // finds it
 *
 * Client client = ClientBuilder.newClient(                    // names it
 *     new ClientConfig().connectorProvider(new HeddleConnectorProvider()));
 * }</pre>
 *
 * <p>It makes a connection manager for each client, from the client's {@code SSLContext}, {@code
 * HostnameVerifier}, properties and, if asked for, system properties. All else is done by Jersey's
 * own connector, {@link Apache5ConnectorProvider}: each of {@link Apache5ClientProperties} means
 * what it means there. Without a retry strategy among them, Apache's own is used, but for requests
 * for server-sent events. With {@link Apache5ClientProperties#CONNECTION_MANAGER} set, that manager
 * is used as it is, and what is said here of connections does not hold.
 *
 * <p>A client's {@code close()} closes its connection manager: calls under way end at once.
 *
 * <p>Thread-safe. One provider serves any number of clients.
 */
public final class HeddleConnectorProvider implements ConnectorProvider {

  /**
   * A deadline over the whole call: the lease, the name look-up, the connection, TLS, the request,
   * every redirect and retry, and the reading of the response. A {@link java.time.Duration}, a
   * {@link Number} of milliseconds, or either as a string, such as {@code "PT0.8S"} or {@code
   * "800"}; zero or less is over before the call starts. Of a client, or of a request, which then
   * counts instead. None unless set.
   *
   * <p>A call whose deadline is over ends with a {@code ProcessingException} whose cause is a
   * {@link io.heddle.DeadlineExceededException}; a read of the response's stream with that itself.
   */
  public static final String DEADLINE = "io.heddle.jersey.deadline";

  /**
   * Of a request: a {@link java.util.concurrent.CompletableFuture} that cancels this call when it
   * completes, however it does, and on the thread that completes it. JAX-RS has no way to cancel a
   * call that another thread waits for, and Jersey does not tell a connector that the future of
   * {@code async()} or {@code rx()} was cancelled.
   */
  public static final String CANCELLATION = "io.heddle.jersey.cancellation";

  /**
   * Which HTTP to speak: a {@link HttpVersionPolicy}, or its name. Negotiated over TLS, and
   * HTTP/1.1 without, unless set; {@code FORCE_HTTP_2} speaks HTTP/2 with prior knowledge, {@code
   * FORCE_HTTP_1} never. Of a client.
   */
  public static final String HTTP_VERSION_POLICY = "io.heddle.jersey.httpVersionPolicy";

  /** How many connections a client may have, an {@link Integer}; 10,000 unless set. */
  public static final String MAX_CONNECTIONS = "io.heddle.jersey.maxConnections";

  /** How many connections a client may have to one route, an {@link Integer}; 1,000 unless set. */
  public static final String MAX_CONNECTIONS_PER_ROUTE = "io.heddle.jersey.maxConnectionsPerRoute";

  private final Consumer<BlockingConnectionManagerBuilder> manager;

  /** With nothing but the settings of each client. */
  public HeddleConnectorProvider() {
    this(builder -> {});
  }

  /**
   * With settings that no property has, such as a {@code DnsResolver}.
   *
   * @param manager sets them, after those of the client; called once for each client
   */
  public HeddleConnectorProvider(Consumer<BlockingConnectionManagerBuilder> manager) {
    this.manager = Objects.requireNonNull(manager, "manager");
  }

  /**
   * Called by Jersey when a client makes its first call.
   *
   * @throws IllegalArgumentException if a property has a value that it cannot have
   */
  @Override
  public Connector getConnector(Client client, Configuration config) {
    ClientThreads.makeVirtual(config);
    CallProperties calls = new CallProperties(config);
    ClientConfig whole = new ClientConfig().loadFrom(config);
    if (config.getProperty(Apache5ClientProperties.CONNECTION_MANAGER) == null) {
      whole
          .property(Apache5ClientProperties.CONNECTION_MANAGER, connectionManager(client, config))
          .property(Apache5ClientProperties.CONNECTION_MANAGER_SHARED, false);
    }
    if (config.getProperty(Apache5ClientProperties.RETRY_STRATEGY) == null) {
      whole.property(Apache5ClientProperties.RETRY_STRATEGY, new Retries());
    }
    return new Apache5ConnectorProvider().getConnector(client, whole.register(calls));
  }

  private BlockingConnectionManager connectionManager(Client client, Configuration config) {
    Map<String, Object> properties = config.getProperties();
    BlockingConnectionManagerBuilder builder = BlockingConnectionManager.builder();
    boolean system =
        PropertiesHelper.isProperty(properties, Apache5ClientProperties.USE_SYSTEM_PROPERTIES);
    builder.setTlsStrategy(tls(client, system));
    if (system && !"false".equalsIgnoreCase(System.getProperty("http.keepAlive"))) {
      Integer max = Integer.getInteger("http.maxConnections");
      if (max != null) {
        builder.setMaxConnPerRoute(max).setMaxConnTotal(2 * max); // as Jersey's connector has it
      }
    }
    Integer total = value(properties, MAX_CONNECTIONS, Integer.class, Integer::valueOf);
    if (total != null) {
      builder.setMaxConnTotal(total);
    }
    Integer perRoute =
        value(properties, MAX_CONNECTIONS_PER_ROUTE, Integer.class, Integer::valueOf);
    if (perRoute != null) {
      builder.setMaxConnPerRoute(perRoute);
    }
    HttpVersionPolicy policy =
        value(properties, HTTP_VERSION_POLICY, HttpVersionPolicy.class, HttpVersionPolicy::valueOf);
    if (policy != null) {
      builder.setVersionPolicy(policy);
    }
    Integer chunk =
        value(properties, ClientProperties.CHUNKED_ENCODING_SIZE, Integer.class, Integer::valueOf);
    if (chunk != null) {
      builder.setHttp1Config(Http1Config.custom().setChunkSizeHint(chunk).build());
    }
    manager.accept(builder);
    return builder.build();
  }

  private static TlsStrategy tls(Client client, boolean system) {
    ClientTlsStrategyBuilder builder = ClientTlsStrategyBuilder.create();
    if (system) {
      builder.useSystemProperties();
    }
    HostnameVerifier verifier = client.getHostnameVerifier();
    if (verifier != null) { // instead of the JDK's own check, not besides
      builder
          .setHostnameVerifier(verifier)
          .setHostVerificationPolicy(HostnameVerificationPolicy.CLIENT);
    }
    return builder
        .setSslContext(client.getSslContext())
        .setSslBufferMode(SSLBufferMode.DYNAMIC) // an idle connection holds none
        .buildAsync();
  }

  private static <T> @Nullable T value(
      Map<String, Object> properties, String name, Class<T> type, Function<String, T> parse) {
    Object value = properties.get(name);
    try {
      return value == null || type.isInstance(value)
          ? type.cast(value)
          : parse.apply(String.valueOf(value));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          name + " must be of " + type.getName() + ", but is " + value, e);
    }
  }
}
