package io.heddle.apache;

import io.heddle.conformance.Body;
import io.heddle.conformance.Call;
import io.heddle.conformance.Client;
import io.heddle.conformance.ClientSettings;
import io.heddle.conformance.NameLookup;
import io.heddle.conformance.PreparedCall;
import io.heddle.conformance.Reply;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.auth.Credentials;
import org.apache.hc.client5.http.auth.CredentialsProvider;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.cookie.BasicCookieStore;
import org.apache.hc.client5.http.cookie.Cookie;
import org.apache.hc.client5.http.impl.DefaultConnectionKeepAliveStrategy;
import org.apache.hc.client5.http.impl.DefaultRedirectStrategy;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.routing.RoutingSupport;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityTemplate;
import org.apache.hc.core5.http.io.entity.FileEntity;
import org.apache.hc.core5.http.io.entity.InputStreamEntity;
import org.apache.hc.core5.http.nio.ssl.TlsStrategy;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.ssl.SSLContexts;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/** A client as the kit's settings want it, with a probe in each hook that takes user code. */
final class ApacheClient implements Client {

  private final ClientSettings settings;
  private final BlockingConnectionManager manager;
  private final CloseableHttpClient client;

  ApacheClient(ClientSettings settings) {
    this.settings = settings;
    this.manager = manager(settings);
    Consumer<String> probe = settings.probe();
    HttpClientBuilder builder =
        BlockingHttpClients.custom(timeout(settings.deadline()))
            .setConnectionManager(manager)
            .setDefaultRequestConfig(requestConfig(settings))
            .addRequestInterceptorLast((request, entity, context) -> probe.accept("interceptor"))
            .addResponseInterceptorLast((response, entity, context) -> probe.accept("interceptor"))
            .addExecInterceptorLast(
                "probe",
                (request, scope, chain) -> {
                  probe.accept("exec interceptor");
                  return chain.proceed(request, scope);
                })
            .setKeepAliveStrategy(
                (response, context) -> {
                  probe.accept("keep-alive strategy");
                  return DefaultConnectionKeepAliveStrategy.INSTANCE.getKeepAliveDuration(
                      response, context);
                });
    if (settings.followRedirects()) {
      builder.setRedirectStrategy(new ProbedRedirects(probe));
    } else {
      builder.disableRedirectHandling();
    }
    if (!settings.decompress()) {
      builder.disableContentCompression();
    }
    if (settings.cookies()) {
      builder.setDefaultCookieStore(new ProbedCookies(probe));
    } else {
      builder.disableCookieManagement();
    }
    if (settings.credentials() != null) {
      builder.setDefaultCredentialsProvider(new ProbedCredentials(settings.credentials(), probe));
    }
    this.client = builder.build();
  }

  private static BlockingConnectionManager manager(ClientSettings settings) {
    BlockingConnectionManagerBuilder builder =
        BlockingConnectionManager.builder()
            .setMaxConnPerRoute(settings.maxConnections())
            .setMaxConnTotal(settings.maxConnections())
            .setVersionPolicy(policy(settings.wire()))
            .setDefaultConnectionConfig(
                ConnectionConfig.custom()
                    .setConnectTimeout(timeout(settings.connectTimeout()))
                    .build());
    if (settings.wire().isTls()) {
      builder.setIoThreadCount(2); // by default two processors have one
    }
    if (settings.trusted() != null) {
      builder.setTlsStrategy(tls(settings.trusted()));
    }
    if (settings.lookup() != null) {
      builder.setDnsResolver(new Lookup(settings.lookup()));
    }
    return builder.build();
  }

  /** HTTP/2 over TLS as users have it: negotiated. */
  private static HttpVersionPolicy policy(Wire wire) {
    return switch (wire) {
      case HTTP_1_1, HTTP_1_1_TLS -> HttpVersionPolicy.FORCE_HTTP_1;
      case H2C -> HttpVersionPolicy.FORCE_HTTP_2;
      case H2_TLS -> HttpVersionPolicy.NEGOTIATE;
    };
  }

  private static RequestConfig requestConfig(ClientSettings settings) {
    return RequestConfig.custom()
        .setConnectionRequestTimeout(timeout(settings.leaseTimeout()))
        .setResponseTimeout(timeout(settings.readTimeout()))
        .setProtocolUpgradeEnabled(false)
        .build();
  }

  /** Stock connections, over TLS that trusts this certificate alone. */
  static PoolingHttpClientConnectionManagerBuilder stock(X509Certificate certificate) {
    return PoolingHttpClientConnectionManagerBuilder.create()
        .setTlsSocketStrategy(new DefaultClientTlsStrategy(trusting(certificate)));
  }

  /** TLS that trusts this certificate alone. */
  static TlsStrategy tls(X509Certificate certificate) {
    return ClientTlsStrategyBuilder.create().setSslContext(trusting(certificate)).buildAsync();
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

  /** Apache's zero is no timeout; the kit's is one that is over. */
  private static Timeout timeout(@Nullable Duration duration) {
    return duration == null
        ? Timeout.DISABLED
        : Timeout.of(Math.max(1, duration.toNanos()), TimeUnit.NANOSECONDS);
  }

  /** Hands a connection of the reactor to a test, as a lease would have it. */
  void withConnection(URI uri, Consumer<ReactorConnection> use) throws Exception {
    withConnection(manager, uri, use);
  }

  /** The same, of this manager. */
  static void withConnection(
      BlockingConnectionManager manager, URI uri, Consumer<ReactorConnection> use)
      throws Exception {
    HttpHost host = HttpHost.create(uri);
    HttpRoute route = new HttpRoute(host, null, "https".equals(uri.getScheme()));
    ConnectionEndpoint endpoint =
        manager.lease("test", route, Timeout.DISABLED, null).get(Timeout.ofSeconds(5));
    try {
      manager.connect(endpoint, null, HttpClientContext.create());
      Lease lease = ((ApacheEndpoint) endpoint).lease();
      ReactorConnection connection = lease == null ? null : lease.connection();
      if (connection == null) {
        throw new IOException("not connected");
      }
      use.accept(connection);
    } finally {
      manager.release(endpoint, null, TimeValue.ofMinutes(1));
    }
  }

  @Override
  public PreparedCall prepare(Call call) {
    HttpUriRequestBase request = new HttpUriRequestBase(call.method(), call.uri());
    call.headers().forEach(header -> request.addHeader(header.getKey(), header.getValue()));
    if (call.body() != null) {
      request.setEntity(entity(call.body()));
    }
    if (call.expectContinue()) {
      request.setConfig(
          RequestConfig.copy(requestConfig(settings)).setExpectContinueEnabled(true).build());
    }
    HttpClientContext context = HttpClientContext.create();
    if (call.deadline() != null) {
      CallDeadline.set(context, timeout(call.deadline()));
    }
    return new PreparedCall() {
      @Override
      public Reply execute() throws IOException, HttpException {
        HttpHost target = RoutingSupport.determineHost(request);
        return new ApacheReply(client.executeOpen(target, request, context));
      }

      @Override
      public void cancel() {
        request.cancel();
      }
    };
  }

  private static HttpEntity entity(Body body) {
    if (body instanceof Body.Bytes bytes) {
      return new ByteArrayEntity(bytes.bytes(), null);
    }
    if (body instanceof Body.OfFile file) {
      return new FileEntity(file.path().toFile(), null);
    }
    if (body instanceof Body.Stream stream) {
      return new InputStreamEntity(stream.in(), stream.length(), null);
    }
    Body.Writer writer = (Body.Writer) body;
    return new EntityTemplate(
        -1, ContentType.APPLICATION_OCTET_STREAM, null, writer.writer()::writeTo);
  }

  @Override
  public int leases() {
    return manager.leases();
  }

  @Override
  public String describe() {
    return manager.toString();
  }

  @Override
  public void close() {
    client.close(CloseMode.IMMEDIATE);
  }

  /** A response of the classic client. */
  private static final class ApacheReply implements Reply {
    private final ClassicHttpResponse response;
    private final @Nullable HttpEntity entity;
    private final InputStream body;

    ApacheReply(ClassicHttpResponse response) throws IOException {
      this.response = response;
      this.entity = response.getEntity();
      this.body = entity == null ? InputStream.nullInputStream() : entity.getContent();
    }

    @Override
    public int status() {
      return response.getCode();
    }

    @Override
    public @Nullable String header(String name) {
      Header header = response.getFirstHeader(name);
      return header == null ? null : header.getValue();
    }

    @Override
    public String protocol() {
      String version = String.valueOf(response.getVersion());
      return version.equals("HTTP/2.0") ? "HTTP/2" : version;
    }

    @Override
    public InputStream body() {
      return body;
    }

    @Override
    public Map<String, String> trailers() {
      Map<String, String> trailers = new TreeMap<>();
      if (entity != null && entity.getTrailers() != null) {
        for (Header each : entity.getTrailers().get()) {
          trailers.put(each.getName().toLowerCase(Locale.ROOT), each.getValue());
        }
      }
      return trailers;
    }

    @Override
    public void close() throws IOException {
      response.close();
    }
  }

  private record Lookup(NameLookup lookup) implements DnsResolver {
    @Override
    public InetAddress[] resolve(String host) throws UnknownHostException {
      return lookup.lookup(host).toArray(InetAddress[]::new);
    }

    @Override
    public String resolveCanonicalHostname(String host) {
      return host;
    }
  }

  private static final class ProbedRedirects extends DefaultRedirectStrategy {
    private final Consumer<String> probe;

    ProbedRedirects(Consumer<String> probe) {
      this.probe = probe;
    }

    @Override
    public URI getLocationURI(HttpRequest request, HttpResponse response, HttpContext context)
        throws HttpException {
      probe.accept("redirect strategy");
      return super.getLocationURI(request, response, context);
    }
  }

  private static final class ProbedCookies extends BasicCookieStore {
    private static final long serialVersionUID = 1L;

    private final transient Consumer<String> probe;

    ProbedCookies(Consumer<String> probe) {
      this.probe = probe;
    }

    @Override
    public void addCookie(Cookie cookie) {
      probe.accept("cookie store");
      super.addCookie(cookie);
    }

    @Override
    public List<Cookie> getCookies() {
      probe.accept("cookie store");
      return super.getCookies();
    }
  }

  private record ProbedCredentials(ClientSettings.Credentials credentials, Consumer<String> probe)
      implements CredentialsProvider {
    @Override
    public Credentials getCredentials(AuthScope scope, HttpContext context) {
      probe.accept("credentials provider");
      return new UsernamePasswordCredentials(
          credentials.user(), credentials.password().toCharArray());
    }
  }
}
