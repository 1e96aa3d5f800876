package io.heddle.jdk;

import io.heddle.conformance.Body;
import io.heddle.conformance.Call;
import io.heddle.conformance.Client;
import io.heddle.conformance.ClientSettings;
import io.heddle.conformance.GzipBody;
import io.heddle.conformance.PreparedCall;
import io.heddle.conformance.Reply;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Authenticator;
import java.net.CookieManager;
import java.net.PasswordAuthentication;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** A client as the kit's settings want it, with a probe in each hook that takes user code. */
final class KitClient implements Client {

  private final ClientSettings settings;
  private final BlockingJdkHttpClient client;

  KitClient(ClientSettings settings) {
    this.settings = settings;
    KitResolver.use(settings.lookup());
    BlockingJdkHttpClientBuilder builder =
        BlockingJdkHttpClient.builder(stock(settings).build())
            .maxConnectionsPerOrigin(settings.maxConnections())
            .queueTimeout(settings.leaseTimeout())
            .readTimeout(settings.readTimeout());
    if (settings.deadline() != null) {
      builder.timeout(positive(settings.deadline()));
    }
    this.client = builder.build();
  }

  /** The JDK's own. */
  static HttpClient.Builder stock(ClientSettings settings) {
    Consumer<String> probe = settings.probe();
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(
                settings.wire().isMultiplexed()
                    ? HttpClient.Version.HTTP_2
                    : HttpClient.Version.HTTP_1_1)
            .connectTimeout(settings.connectTimeout())
            .proxy(new ProbedProxies(probe));
    if (settings.followRedirects()) {
      builder.followRedirects(HttpClient.Redirect.NORMAL);
    }
    if (settings.trusted() != null) {
      builder.sslContext(trusting(settings.trusted()));
    }
    if (settings.cookies()) {
      builder.cookieHandler(new ProbedCookies(probe));
    }
    if (settings.credentials() != null) {
      builder.authenticator(new ProbedCredentials(settings.credentials(), probe));
    }
    return builder;
  }

  /** TLS that trusts this certificate alone. */
  static SSLContext trusting(X509Certificate certificate) {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      store.setCertificateEntry("trusted", certificate);
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, factory.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  ClientSettings settings() {
    return settings;
  }

  @Override
  public PreparedCall prepare(Call call) {
    HttpRequest.Builder request = HttpRequest.newBuilder(call.uri());
    call.headers().forEach(header -> request.header(header.getKey(), header.getValue()));
    Body body = call.body();
    request.method(call.method(), body == null ? BodyPublishers.noBody() : publisher(body));
    if (body == null && call.method().equals("GET")) {
      request.GET();
    } else if (body == null && call.method().equals("HEAD")) {
      request.HEAD();
    }
    request.expectContinue(call.expectContinue());
    if (call.deadline() != null) {
      request.timeout(positive(call.deadline()));
    }
    return new JdkCall(request.build());
  }

  /** The JDK's zero is refused; the kit's is over. */
  private static Duration positive(Duration deadline) {
    return deadline.isZero() ? Duration.ofNanos(1) : deadline;
  }

  private static BodyPublisher publisher(Body body) {
    if (body instanceof Body.Bytes bytes) {
      return BodyPublishers.ofByteArray(bytes.bytes());
    }
    if (body instanceof Body.OfFile file) {
      try {
        return BodyPublishers.ofFile(file.path());
      } catch (FileNotFoundException e) {
        throw new IllegalStateException(e);
      }
    }
    if (body instanceof Body.Stream stream) {
      AtomicReference<@Nullable InputStream> once = new AtomicReference<>(stream.in());
      BodyPublisher unsized = BodyPublishers.ofInputStream(() -> once.getAndSet(null));
      return stream.length() > 0
          ? BodyPublishers.fromPublisher(unsized, stream.length())
          : stream.length() == 0 ? BodyPublishers.noBody() : unsized;
    }
    Body.Writer writer = (Body.Writer) body;
    return WrittenBody.of(writer.writer()::writeTo);
  }

  @Override
  public int leases() {
    return client.inFlight();
  }

  @Override
  public String describe() {
    return client.toString();
  }

  @Override
  public void close() {
    client.shutdownNow();
    client.close();
    KitResolver.use(null);
  }

  /** A call; whoever cancels it interrupts its thread, or closes its stream. */
  private final class JdkCall implements PreparedCall {
    private final HttpRequest request;

    // Guarded by this.
    private boolean cancelled;
    private @Nullable Thread caller;
    private @Nullable InputStream stream;

    JdkCall(HttpRequest request) {
      this.request = request;
    }

    @Override
    public Reply execute() throws IOException, InterruptedException {
      synchronized (this) {
        if (cancelled) {
          Thread.currentThread().interrupt();
        }
        caller = Thread.currentThread();
      }
      try {
        HttpResponse<InputStream> response =
            client.send(
                request,
                info -> {
                  settings.probe().accept("body handler");
                  return BodyHandlers.ofInputStream().apply(info);
                });
        synchronized (this) {
          stream = response.body();
        }
        return new JdkReply(response, settings.decompress());
      } finally {
        synchronized (this) {
          caller = null;
        }
      }
    }

    @Override
    public void cancel() {
      InputStream its;
      synchronized (this) {
        cancelled = true;
        if (caller != null) {
          caller.interrupt();
        }
        its = stream;
      }
      if (its != null) {
        try {
          its.close();
        } catch (IOException e) {
          throw new IllegalStateException(e);
        }
      }
    }
  }

  /** A response. */
  private static final class JdkReply implements Reply {
    private final HttpResponse<InputStream> response;
    private final InputStream body;

    JdkReply(HttpResponse<InputStream> response, boolean decompress) throws IOException {
      this.response = response;
      // As users do it, but to the end: java.net.http leaves content codings to them.
      this.body =
          decompress
                  && "gzip".equals(header("Content-Encoding"))
                  && !response.request().method().equals("HEAD")
              ? new GzipBody(response.body())
              : response.body();
    }

    @Override
    public int status() {
      return response.statusCode();
    }

    @Override
    public @Nullable String header(String name) {
      return response.headers().firstValue(name).orElse(null);
    }

    @Override
    public String protocol() {
      return response.version() == HttpClient.Version.HTTP_2 ? "HTTP/2" : "HTTP/1.1";
    }

    @Override
    public InputStream body() {
      return body;
    }

    @Override
    public Map<String, String> trailers() {
      return Map.of(); // java.net.http has none
    }

    @Override
    public void close() throws IOException {
      response.body().close();
    }
  }

  private static final class ProbedProxies extends ProxySelector {
    private final Consumer<String> probe;

    ProbedProxies(Consumer<String> probe) {
      this.probe = probe;
    }

    @Override
    public List<Proxy> select(URI uri) {
      probe.accept("proxy selector");
      return List.of(Proxy.NO_PROXY);
    }

    @Override
    public void connectFailed(URI uri, SocketAddress address, IOException failure) {}
  }

  private static final class ProbedCookies extends CookieManager {
    private final Consumer<String> probe;

    ProbedCookies(Consumer<String> probe) {
      this.probe = probe;
    }

    @Override
    public Map<String, List<String>> get(URI uri, Map<String, List<String>> headers)
        throws IOException {
      probe.accept("cookie handler");
      return super.get(uri, headers);
    }

    @Override
    public void put(URI uri, Map<String, List<String>> headers) throws IOException {
      probe.accept("cookie handler");
      super.put(uri, headers);
    }
  }

  private static final class ProbedCredentials extends Authenticator {
    private final ClientSettings.Credentials credentials;
    private final Consumer<String> probe;

    ProbedCredentials(ClientSettings.Credentials credentials, Consumer<String> probe) {
      this.credentials = credentials;
      this.probe = probe;
    }

    @Override
    protected PasswordAuthentication getPasswordAuthentication() {
      probe.accept("authenticator");
      return new PasswordAuthentication(credentials.user(), credentials.password().toCharArray());
    }
  }
}
