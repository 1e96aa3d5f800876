package io.heddle.jersey;

import io.heddle.apache.BlockingConnectionManager;
import io.heddle.apache.BlockingConnectionManagerBuilder;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.core.Configurable;
import jakarta.ws.rs.core.Configuration;
import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.net.ssl.HostnameVerifier;
import org.apache.hc.client5.http.config.RequestConfig;
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
import org.glassfish.jersey.client.Initializable;
import org.glassfish.jersey.client.spi.Connector;
import org.glassfish.jersey.client.spi.ConnectorProvider;
import org.glassfish.jersey.internal.util.PropertiesHelper;
import org.jspecify.annotations.Nullable;

/**
 * Jersey's Apache connector on a {@link BlockingConnectionManager}. Jersey discovers it on the
 * class path and on the module path. You can also name it:
 *
 * <pre>{@code
 * Client client = ClientBuilder.newClient();                  // discovers it
 *
 * Client client = ClientBuilder.newClient(                    // names it
 *     new ClientConfig().connectorProvider(new HeddleConnectorProvider()));
 * }</pre>
 *
 * <p>The provider creates a connection manager for each client, from the client's {@code
 * SSLContext}, {@code HostnameVerifier}, properties and, if asked for, system properties. Jersey's
 * own connector, {@link Apache5ConnectorProvider}, does everything else: each of {@link
 * Apache5ClientProperties} keeps its meaning. Two have another default. If no retry strategy is
 * set, Apache's default applies, except that a response to a request for server-sent events is not
 * retried. And a client keeps no cookies, as all its callers would share them, unless {@link
 * Apache5ClientProperties#DISABLE_COOKIES} is {@code false} or the {@code RequestConfig} has a
 * cookie specification. If {@link Apache5ClientProperties#CONNECTION_MANAGER} is set, that manager
 * is used as it is, and the connection settings described here do not apply.
 *
 * <p>The client's {@code close()} closes its connection manager: running calls end at once.
 *
 * <p>Thread-safe. One provider serves any number of clients.
 */
public final class HeddleConnectorProvider implements ConnectorProvider {

  /**
   * Property of a client or a request: a deadline over the whole call. It covers the wait for a
   * connection, the DNS lookup, connecting, TLS, the request, every redirect and retry, and reading
   * the response. The property of a request overrides that of the client. None by default.
   *
   * <p>The value is a {@link java.time.Duration}, a whole {@link Number} of milliseconds, or either
   * as a string, such as {@code "PT0.8S"} or {@code "800"}. With zero or less the call fails before
   * it starts.
   *
   * <p>When the deadline passes, the call throws a {@code ProcessingException} whose cause is a
   * {@link io.heddle.DeadlineExceededException}. A read of the response's stream throws the latter
   * directly.
   */
  public static final String DEADLINE = "io.heddle.jersey.deadline";

  /**
   * Property of a request: a {@link java.util.concurrent.CompletionStage}, such as a {@code
   * CompletableFuture}, that cancels the call when it completes, in whatever way, on the thread
   * that completes it. A call with another value fails with an {@code IllegalArgumentException}.
   * JAX-RS cannot cancel a call that another thread waits for. {@code cancel(true)} on the future
   * of {@code async()} ends a call only while a body that keeps coming is read, not before the
   * response headers, nor in a body that stalls.
   */
  public static final String CANCELLATION = "io.heddle.jersey.cancellation";

  /**
   * Property of a client: the HTTP version, as a {@link HttpVersionPolicy} or its name. By default
   * it is negotiated over TLS, and HTTP/1.1 without TLS. {@code FORCE_HTTP_2} uses HTTP/2 with
   * prior knowledge; {@code FORCE_HTTP_1} never uses HTTP/2.
   */
  public static final String HTTP_VERSION_POLICY = "io.heddle.jersey.httpVersionPolicy";

  /**
   * Property of a client: the maximum number of connections, an {@link Integer}; default 10,000.
   */
  public static final String MAX_CONNECTIONS = "io.heddle.jersey.maxConnections";

  /**
   * Property of a client: the maximum number of connections per route, an {@link Integer}; default
   * 1,000.
   */
  public static final String MAX_CONNECTIONS_PER_ROUTE = "io.heddle.jersey.maxConnectionsPerRoute";

  /** Jersey's connector has it, but no way to ask for it. */
  private static final Map<Connector, WeakReference<BlockingConnectionManager>> MANAGERS =
      Collections.synchronizedMap(new WeakHashMap<>());

  private final Consumer<BlockingConnectionManagerBuilder> manager;

  /** Creates a provider that uses each client's settings only. */
  public HeddleConnectorProvider() {
    this(builder -> {});
  }

  /**
   * Creates a provider with settings that have no property, such as a {@code DnsResolver}.
   *
   * @param manager applies the settings, after those of the client; called once per client
   */
  public HeddleConnectorProvider(Consumer<BlockingConnectionManagerBuilder> manager) {
    this.manager = Objects.requireNonNull(manager, "manager");
  }

  /**
   * Creates the connector. Jersey calls this when a client makes its first call.
   *
   * @throws IllegalArgumentException if a property has an invalid value
   */
  @Override
  public Connector getConnector(Client client, Configuration config) {
    ClientThreads.makeVirtual(config);
    CallProperties calls = new CallProperties(config);
    ClientConfig whole = new ClientConfig().loadFrom(config);
    Object manager = config.getProperty(Apache5ClientProperties.CONNECTION_MANAGER);
    if (manager == null) {
      manager = connectionManager(client, config);
      whole
          .property(Apache5ClientProperties.CONNECTION_MANAGER, manager)
          .property(Apache5ClientProperties.CONNECTION_MANAGER_SHARED, false);
    }
    if (!asksForCookies(config)) {
      whole.property(Apache5ClientProperties.DISABLE_COOKIES, true);
    }
    if (config.getProperty(Apache5ClientProperties.RETRY_STRATEGY) == null) {
      whole.property(Apache5ClientProperties.RETRY_STRATEGY, new Retries());
    }
    Connector connector =
        new Apache5ConnectorProvider().getConnector(client, whole.register(calls));
    if (manager instanceof BlockingConnectionManager ours) {
      MANAGERS.put(connector, new WeakReference<>(ours));
    }
    return connector;
  }

  /**
   * Returns the connection manager of a client, which tells of its calls and connections: see
   * {@link io.heddle.CallsInFlight}. Do not close it: the client does.
   *
   * <p>Each setting and registration that is made on a client after its first call gives it another
   * manager, and a target with its own has one of its own.
   *
   * @param component Jersey's client, or a target, with this connector
   * @throws IllegalArgumentException if it is something else
   */
  public static BlockingConnectionManager getConnectionManager(Configurable<?> component) {
    Objects.requireNonNull(component, "component");
    if (component instanceof Initializable<?> jerseys) {
      if (jerseys.getConfiguration().getConnector() == null) { // else it would make another one
        jerseys.preInitialize();
      }
      WeakReference<BlockingConnectionManager> manager =
          MANAGERS.get(jerseys.getConfiguration().getConnector());
      BlockingConnectionManager there = manager == null ? null : manager.get();
      if (there != null) {
        return there;
      }
    }
    throw new IllegalArgumentException(
        component + " must be a client or a target of Jersey's that uses HeddleConnectorProvider");
  }

  /** Whether the property is there, and says no, or the user's own settings name a policy. */
  private static boolean asksForCookies(Configuration config) {
    return config.getProperty(Apache5ClientProperties.DISABLE_COOKIES) != null
        || (config.getProperty(Apache5ClientProperties.REQUEST_CONFIG)
                instanceof RequestConfig settings
            && settings.getCookieSpec() != null);
  }

  private BlockingConnectionManager connectionManager(Client client, Configuration config) {
    Map<String, Object> properties = config.getProperties();
    BlockingConnectionManagerBuilder builder = BlockingConnectionManager.builder();
    boolean system =
        PropertiesHelper.isProperty(properties, Apache5ClientProperties.USE_SYSTEM_PROPERTIES);
    builder.setTlsStrategy(tls(client, system));
    if (system) {
      builder.useSystemProperties();
    }
    Integer total = positive(properties, MAX_CONNECTIONS);
    if (total != null) {
      builder.setMaxConnTotal(total);
    }
    Integer perRoute = positive(properties, MAX_CONNECTIONS_PER_ROUTE);
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

  private static @Nullable Integer positive(Map<String, Object> properties, String name) {
    Integer value = value(properties, name, Integer.class, Integer::valueOf);
    if (value != null && value <= 0) {
      throw new IllegalArgumentException(name + " must be positive, but is " + value);
    }
    return value;
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
