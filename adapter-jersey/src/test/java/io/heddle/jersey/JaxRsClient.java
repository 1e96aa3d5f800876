package io.heddle.jersey;

import io.heddle.apache.BlockingConnectionManager;
import io.heddle.conformance.Body;
import io.heddle.conformance.Call;
import io.heddle.conformance.Client;
import io.heddle.conformance.ClientSettings;
import io.heddle.conformance.NameLookup;
import io.heddle.conformance.PreparedCall;
import io.heddle.conformance.Reply;
import jakarta.ws.rs.client.ClientBuilder;
import jakarta.ws.rs.client.Entity;
import jakarta.ws.rs.client.Invocation;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.http.io.entity.InputStreamEntity;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.ssl.SSLContexts;
import org.apache.hc.core5.util.Timeout;
import org.glassfish.jersey.apache5.connector.Apache5ClientProperties;
import org.glassfish.jersey.apache5.connector.Apache5HttpClientBuilderConfigurator;
import org.glassfish.jersey.client.ClientConfig;
import org.glassfish.jersey.client.ClientProperties;
import org.glassfish.jersey.client.RequestEntityProcessing;
import org.jspecify.annotations.Nullable;

/**
 * A JAX-RS client as the kit's settings want it, with a probe in each hook that takes user code.
 */
final class JaxRsClient implements Client {

  private final ClientSettings settings;
  private final jakarta.ws.rs.client.Client client;
  private final BlockingConnectionManager manager;

  JaxRsClient(ClientSettings settings) throws ReflectiveOperationException {
    this.settings = settings;
    ClientConfig config = new ClientConfig();
    NameLookup lookup = settings.lookup();
    if (lookup != null) { // else the connector is found, as users have it
      config.connectorProvider(
          new HeddleConnectorProvider(manager -> manager.setDnsResolver(new Lookup(lookup))));
    }
    Consumer<String> probe = settings.probe();
    ClientBuilder builder =
        ClientBuilder.newBuilder()
            .withConfig(config)
            .connectTimeout(settings.connectTimeout().toNanos(), TimeUnit.NANOSECONDS)
            .readTimeout(settings.readTimeout().toNanos(), TimeUnit.NANOSECONDS)
            .property(HeddleConnectorProvider.MAX_CONNECTIONS, settings.maxConnections())
            .property(HeddleConnectorProvider.MAX_CONNECTIONS_PER_ROUTE, settings.maxConnections())
            .property(HeddleConnectorProvider.HTTP_VERSION_POLICY, policy(settings))
            .property(Apache5ClientProperties.REQUEST_CONFIG, requestConfig(settings))
            .property(Apache5ClientProperties.DISABLE_COOKIES, !settings.cookies())
            .property(ClientProperties.FOLLOW_REDIRECTS, settings.followRedirects())
            .register(new Probes(probe))
            .register((Apache5HttpClientBuilderConfigurator) this::configure);
    if (settings.deadline() != null) {
      builder.property(HeddleConnectorProvider.DEADLINE, settings.deadline());
    }
    if (settings.trusted() != null) {
      builder.sslContext(trusting(settings.trusted()));
    }
    ClientSettings.Credentials credentials = settings.credentials();
    if (credentials != null) {
      BasicCredentialsProvider provider = new BasicCredentialsProvider();
      provider.setCredentials(
          new AuthScope(null, -1),
          new UsernamePasswordCredentials(
              credentials.user(), credentials.password().toCharArray()));
      builder.property(Apache5ClientProperties.CREDENTIALS_PROVIDER, provider);
    }
    this.client = builder.build();
    this.manager = HeddleConnectorProvider.getConnectionManager(client);
  }

  /** What a client has no property for; the version is what JAX-RS does not tell. */
  private HttpClientBuilder configure(HttpClientBuilder builder) {
    if (!settings.decompress()) {
      builder.disableContentCompression();
    }
    return builder.addResponseInterceptorLast(
        (response, entity, context) -> {
          settings.probe().accept("interceptor");
          response.addHeader("kit-version", context.getProtocolVersion());
        });
  }

  /** HTTP/2 over TLS as users have it: negotiated. */
  private static HttpVersionPolicy policy(ClientSettings settings) {
    return switch (settings.wire()) {
      case HTTP_1_1, HTTP_1_1_TLS -> HttpVersionPolicy.FORCE_HTTP_1;
      case H2C -> HttpVersionPolicy.FORCE_HTTP_2;
      case H2_TLS -> HttpVersionPolicy.NEGOTIATE;
    };
  }

  private static RequestConfig requestConfig(ClientSettings settings) {
    return RequestConfig.custom()
        .setConnectionRequestTimeout(Timeout.of(settings.leaseTimeout()))
        .setProtocolUpgradeEnabled(false)
        .build();
  }

  static SSLContext trusting(X509Certificate certificate) {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      store.setCertificateEntry("trusted", certificate);
      return SSLContexts.custom().loadTrustMaterial(store, null).build();
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  ClientSettings settings() {
    return settings;
  }

  @Override
  public PreparedCall prepare(Call call) {
    CompletableFuture<Void> cancellation = new CompletableFuture<>();
    Invocation.Builder request =
        client
            .target(call.uri())
            .request()
            .property(HeddleConnectorProvider.CANCELLATION, cancellation);
    call.headers().forEach(header -> request.header(header.getKey(), header.getValue()));
    Duration deadline = call.deadline();
    if (deadline != null) {
      request.property(HeddleConnectorProvider.DEADLINE, deadline);
    }
    if (call.expectContinue()) {
      request.header("Expect", "100-continue");
    }
    Body body = call.body();
    if (body instanceof Body.Bytes
        || body instanceof Body.OfFile) { // else it can be sent only once
      request.property(
          ClientProperties.REQUEST_ENTITY_PROCESSING, RequestEntityProcessing.BUFFERED);
    }
    Invocation invocation =
        body == null
            ? request.build(call.method())
            : request.build(
                call.method(), Entity.entity(entity(body), MediaType.APPLICATION_OCTET_STREAM));
    return new PreparedCall() {
      @Override
      public Reply execute() {
        return new JaxRsReply(invocation.invoke());
      }

      @Override
      public void cancel() {
        cancellation.cancel(true);
      }
    };
  }

  private static Object entity(Body body) {
    if (body instanceof Body.Bytes bytes) {
      return bytes.bytes();
    }
    if (body instanceof Body.Stream stream) {
      return stream.length() < 0
          ? stream.in()
          : new InputStreamEntity(stream.in(), stream.length(), null);
    }
    if (body instanceof Body.OfFile file) {
      return file.path().toFile();
    }
    Body.Writer writer = (Body.Writer) body;
    return (StreamingOutput) writer.writer()::writeTo;
  }

  /** The pool's statistics count a shared connection once, and not its streams. */
  @Override
  public int leases() {
    try {
      Method leases = BlockingConnectionManager.class.getDeclaredMethod("leases");
      leases.setAccessible(true);
      return (int) leases.invoke(manager);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String describe() {
    return manager.toString();
  }

  @Override
  public void close() {
    client.close();
  }

  /** The response; its stream is taken as soon as it is there, as most users have it. */
  private static final class JaxRsReply implements Reply {
    private final Response response;
    private final InputStream body;

    JaxRsReply(Response response) {
      this.response = response;
      try {
        this.body = response.readEntity(InputStream.class);
      } catch (RuntimeException | Error e) {
        response.close(); // as a user's try has it
        throw e;
      }
    }

    @Override
    public int status() {
      return response.getStatus();
    }

    @Override
    public @Nullable String header(String name) {
      return response.getHeaderString(name);
    }

    @Override
    public String protocol() {
      String version = String.valueOf(header("kit-version"));
      return version.equals("HTTP/2.0") ? "HTTP/2" : version;
    }

    @Override
    public InputStream body() {
      return body;
    }

    @Override
    public Map<String, String> trailers() {
      return Map.of(); // JAX-RS has none
    }

    @Override
    public void close() {
      response.close();
    }
  }

  /** Asks the kit, or a test, for addresses. */
  record Lookup(NameLookup lookup) implements DnsResolver {
    @Override
    public InetAddress[] resolve(String host) throws UnknownHostException {
      return lookup.lookup(host).toArray(InetAddress[]::new);
    }

    @Override
    public String resolveCanonicalHostname(String host) {
      return host;
    }
  }
}
