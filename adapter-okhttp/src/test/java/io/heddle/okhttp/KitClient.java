package io.heddle.okhttp;

import io.heddle.conformance.Body;
import io.heddle.conformance.Call;
import io.heddle.conformance.Client;
import io.heddle.conformance.ClientSettings;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.NameLookup;
import io.heddle.conformance.PreparedCall;
import io.heddle.conformance.Reply;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import okhttp3.Authenticator;
import okhttp3.Connection;
import okhttp3.ConnectionPool;
import okhttp3.Cookie;
import okhttp3.CookieJar;
import okhttp3.Credentials;
import okhttp3.Dns;
import okhttp3.EventListener;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.Route;
import okio.BufferedSink;
import okio.Okio;
import okio.Source;
import org.jspecify.annotations.Nullable;

/** A client as the kit's settings want it, with a probe in each hook that takes user code. */
final class KitClient implements Client {

  private static final int CALLS = 300;

  private static final int CLOSE_MILLIS = 1000;

  private final ClientSettings settings;
  private final AtomicInteger leases = new AtomicInteger();
  private final BlockingOkHttpClient client;
  private final OkHttpClient calls;

  /**
   * A client.
   *
   * @param rebuilt what calls go through, from the client that is closed and described
   */
  KitClient(ClientSettings settings, UnaryOperator<OkHttpClient> rebuilt) {
    this.settings = settings;
    Wire wire = settings.wire();
    Consumer<String> probe = settings.probe();
    OkHttpClient.Builder builder =
        new OkHttpClient.Builder()
            .protocols(protocols(wire))
            .connectionPool(new ConnectionPool(settings.maxConnections(), 5, TimeUnit.MINUTES))
            .connectTimeout(settings.connectTimeout())
            .readTimeout(settings.readTimeout())
            .writeTimeout(Duration.ofSeconds(20))
            .followRedirects(settings.followRedirects())
            .eventListener(new Leases(leases, probe))
            .addInterceptor(
                chain -> {
                  probe.accept("interceptor");
                  return chain.proceed(chain.request());
                })
            .addNetworkInterceptor(
                chain -> {
                  probe.accept("network interceptor");
                  return chain.proceed(chain.request());
                });
    if (settings.deadline() != null) {
      builder.callTimeout(Math.max(1, settings.deadline().toMillis()), TimeUnit.MILLISECONDS);
    }
    if (settings.trusted() != null) {
      trust(builder, settings.trusted());
    }
    if (settings.lookup() != null) {
      builder.dns(new Lookup(settings.lookup()));
    }
    if (settings.cookies()) {
      builder.cookieJar(new ProbedCookies(probe));
    }
    if (settings.credentials() != null) {
      builder.authenticator(new ProbedCredentials(settings.credentials(), probe));
    }
    this.client =
        settings.maxConnections() == ClientSettings.MAX_CONNECTIONS
            ? BlockingOkHttpClient.wrap(builder.build()) // as most users have it
            : BlockingOkHttpClient.builder(builder.build())
                .maxConnectionsPerHost(settings.maxConnections())
                .maxRequests(CALLS)
                .queueTimeout(settings.leaseTimeout())
                .build();
    this.calls = rebuilt.apply(client);
  }

  static List<Protocol> protocols(Wire wire) {
    return switch (wire) {
      case HTTP_1_1, HTTP_1_1_TLS -> List.of(Protocol.HTTP_1_1);
      case H2C -> List.of(Protocol.H2_PRIOR_KNOWLEDGE);
      case H2_TLS -> List.of(Protocol.HTTP_2, Protocol.HTTP_1_1);
    };
  }

  /** For a wire of the kit's server, with all else as OkHttp has it. */
  static OkHttpClient.Builder settings(Wire wire) {
    OkHttpClient.Builder settings = new OkHttpClient.Builder().protocols(protocols(wire));
    if (wire.isTls()) {
      trust(settings, FaultServer.certificate());
    }
    return settings;
  }

  /** TLS that trusts this certificate alone. */
  static void trust(OkHttpClient.Builder builder, X509Certificate certificate) {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      store.setCertificateEntry("trusted", certificate);
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      X509TrustManager trust = (X509TrustManager) factory.getTrustManagers()[0];
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new X509TrustManager[] {trust}, null);
      builder.sslSocketFactory(context.getSocketFactory(), trust);
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public PreparedCall prepare(Call call) {
    Request.Builder request = new Request.Builder().url(call.uri().toString());
    call.headers().forEach(header -> request.addHeader(header.getKey(), header.getValue()));
    Body body = call.body();
    request.method(call.method(), body == null ? null : requestBody(body));
    if (call.expectContinue()) {
      request.header("Expect", "100-continue");
    }
    if (!settings.decompress()) {
      request.header("Accept-Encoding", "identity");
    }
    okhttp3.Call prepared = calls.newCall(request.build());
    if (call.deadline() != null) { // OkHttp's zero is no timeout; the kit's is one that is over
      long nanos = Math.max(1, call.deadline().toNanos());
      prepared.timeout().timeout(nanos, TimeUnit.NANOSECONDS);
    }
    return new PreparedCall() {
      @Override
      public Reply execute() throws IOException {
        return new OkHttpReply(prepared.execute());
      }

      // As the page on OkHttp advises: there the cancel itself is OkHttp's, and may wait.
      @Override
      public void cancel() {
        if (!WorkerThreads.holdsCarrier()) {
          prepared.cancel();
          return;
        }
        CountDownLatch done = new CountDownLatch(1);
        Thread.ofPlatform()
            .start(
                () -> {
                  prepared.cancel();
                  done.countDown();
                });
        try {
          done.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt(); // it is on its way
        }
      }
    };
  }

  private static RequestBody requestBody(Body body) {
    if (body instanceof Body.Bytes bytes) {
      return RequestBody.create(bytes.bytes(), null);
    }
    if (body instanceof Body.OfFile file) {
      return RequestBody.create(file.path().toFile(), null);
    }
    if (body instanceof Body.Stream stream) {
      return new OneShot(
          stream.length(),
          sink -> {
            try (Source source = Okio.source(stream.in())) {
              sink.writeAll(source);
            }
          });
    }
    Body.Writer writer = (Body.Writer) body;
    return new OneShot(-1, sink -> writer.writer().writeTo(sink.outputStream()));
  }

  @Override
  public int leases() {
    return leases.get();
  }

  /** As OkHttp's documentation has it, and our own part first. */
  @Override
  public String describe() {
    return client.toString();
  }

  @Override
  public void close() {
    client.close();
    client.dispatcher().cancelAll();
    client.dispatcher().executorService().shutdown();
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_MILLIS);
    while (leases() > 0 && System.nanoTime() < end) { // only what is idle is evicted
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    client.connectionPool().evictAll();
  }

  /** A body that can be sent once. */
  static final class OneShot extends RequestBody {

    /** Writes the body. */
    @FunctionalInterface
    interface Writing {
      void to(BufferedSink sink) throws IOException;
    }

    private final long length;
    private final Writing writing;

    OneShot(long length, Writing writing) {
      this.length = length;
      this.writing = writing;
    }

    @Override
    public @Nullable MediaType contentType() {
      return null;
    }

    @Override
    public long contentLength() {
      return length;
    }

    @Override
    public boolean isOneShot() {
      return true;
    }

    @Override
    public void writeTo(BufferedSink sink) throws IOException {
      writing.to(sink);
    }
  }

  /** A response. */
  private static final class OkHttpReply implements Reply {
    private final Response response;
    private final InputStream body;

    OkHttpReply(Response response) {
      this.response = response;
      this.body = response.body().byteStream();
    }

    @Override
    public int status() {
      return response.code();
    }

    @Override
    public @Nullable String header(String name) {
      return response.header(name);
    }

    @Override
    public String protocol() {
      return response.protocol() == Protocol.HTTP_1_1 ? "HTTP/1.1" : "HTTP/2";
    }

    @Override
    public InputStream body() {
      return body;
    }

    @Override
    public Map<String, String> trailers() throws IOException {
      Map<String, String> trailers = new TreeMap<>();
      response
          .trailers()
          .forEach(
              each -> trailers.put(each.getFirst().toLowerCase(Locale.ROOT), each.getSecond()));
      return trailers;
    }

    @Override
    public void close() {
      response.close();
    }
  }

  private static final class Leases extends EventListener {
    private final AtomicInteger leases;
    private final Consumer<String> probe;

    Leases(AtomicInteger leases, Consumer<String> probe) {
      this.leases = leases;
      this.probe = probe;
    }

    @Override
    public void connectionAcquired(okhttp3.Call call, Connection connection) {
      leases.incrementAndGet();
      probe.accept("listener");
    }

    @Override
    public void connectionReleased(okhttp3.Call call, Connection connection) {
      leases.decrementAndGet();
      probe.accept("listener");
    }
  }

  private record Lookup(NameLookup lookup) implements Dns {
    @Override
    public List<InetAddress> lookup(String host) throws UnknownHostException {
      return lookup.lookup(host);
    }
  }

  private static final class ProbedCookies implements CookieJar {
    private final Consumer<String> probe;
    private final List<Cookie> kept = new CopyOnWriteArrayList<>();

    ProbedCookies(Consumer<String> probe) {
      this.probe = probe;
    }

    @Override
    public void saveFromResponse(HttpUrl url, List<Cookie> cookies) {
      probe.accept("cookie jar");
      kept.addAll(cookies);
    }

    @Override
    public List<Cookie> loadForRequest(HttpUrl url) {
      probe.accept("cookie jar");
      return kept.stream().filter(each -> each.matches(url)).toList();
    }
  }

  private record ProbedCredentials(ClientSettings.Credentials credentials, Consumer<String> probe)
      implements Authenticator {
    @Override
    public @Nullable Request authenticate(@Nullable Route route, Response response) {
      probe.accept("authenticator");
      if (response.request().header("Authorization") != null) {
        return null; // they were refused
      }
      String basic = Credentials.basic(credentials.user(), credentials.password());
      return response.request().newBuilder().header("Authorization", basic).build();
    }
  }
}
