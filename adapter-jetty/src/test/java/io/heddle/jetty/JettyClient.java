package io.heddle.jetty;

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
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.eclipse.jetty.client.AbstractConnectionPool;
import org.eclipse.jetty.client.Authentication;
import org.eclipse.jetty.client.BasicAuthentication;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.Destination;
import org.eclipse.jetty.client.HttpClientTransport;
import org.eclipse.jetty.client.PathRequestContent;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.transport.HttpClientConnectionFactory;
import org.eclipse.jetty.client.transport.HttpClientTransportDynamic;
import org.eclipse.jetty.client.transport.HttpDestination;
import org.eclipse.jetty.http.HttpCookie;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http2.SessionContainer;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.client.transport.ClientConnectionFactoryOverHTTP2;
import org.eclipse.jetty.io.ClientConnectionFactory;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.Attributes;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/** A client as the kit's settings want it, with a probe in each hook that takes user code. */
final class JettyClient implements Client {

  private final ClientSettings settings;
  private final BlockingJettyClient client;

  JettyClient(ClientSettings settings) throws Exception {
    this.settings = settings;
    this.client = new BlockingJettyClient(transport(settings.wire()));
    client.setMaxConnectionsPerDestination(settings.maxConnections());
    client.setConnectTimeout(settings.connectTimeout().toMillis());
    client.setQueueTimeout(settings.leaseTimeout());
    client.setCallTimeout(settings.deadline());
    client.setFollowRedirects(settings.followRedirects());
    if (settings.trusted() != null) {
      client.setSslContextFactory(tls(settings.trusted()));
    }
    NameLookup lookup = settings.lookup();
    if (lookup != null) {
      client.setSocketAddressResolver(
          (host, port, context, addresses) -> {
            try {
              addresses.succeeded(lookup(lookup, host, port));
            } catch (UnknownHostException e) {
              addresses.failed(e);
            }
          });
    }
    client.setHttpCookieStore(
        settings.cookies() ? new ProbedCookies(settings.probe()) : new HttpCookieStore.Empty());
    client.start();
    if (!settings.decompress()) {
      client.getContentDecoderFactories().clear();
    }
    if (settings.credentials() != null) {
      client
          .getAuthenticationStore()
          .addAuthentication(new ProbedAuthentication(settings.credentials(), settings.probe()));
    }
  }

  /** HTTP/2 over TLS as users have it: negotiated. */
  static HttpClientTransport transport(Wire wire) {
    ClientConnector connector = new ClientConnector();
    ClientConnectionFactory.Info http1 = HttpClientConnectionFactory.HTTP11;
    return switch (wire) {
      case HTTP_1_1, HTTP_1_1_TLS -> new HttpClientTransportDynamic(connector, http1);
      case H2C -> new HttpClientTransportDynamic(connector, http2(connector));
      case H2_TLS -> new HttpClientTransportDynamic(connector, http2(connector), http1);
    };
  }

  private static ClientConnectionFactoryOverHTTP2.HTTP2 http2(ClientConnector connector) {
    return new ClientConnectionFactoryOverHTTP2.HTTP2(new HTTP2Client(connector));
  }

  /** TLS that trusts this certificate alone. */
  static SslContextFactory.Client tls(X509Certificate certificate) {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      store.setCertificateEntry("trusted", certificate);
      SslContextFactory.Client tls = new SslContextFactory.Client();
      tls.setTrustStore(store);
      return tls;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<InetSocketAddress> lookup(NameLookup lookup, String host, int port)
      throws UnknownHostException {
    return lookup.lookup(host).stream().map(each -> new InetSocketAddress(each, port)).toList();
  }

  BlockingJettyClient client() {
    return client;
  }

  @Override
  public PreparedCall prepare(Call call) {
    Request request = client.newRequest(call.uri()).method(call.method());
    request.idleTimeout(settings.readTimeout().toMillis(), TimeUnit.MILLISECONDS);
    if (call.deadline() != null) {
      long nanos = Math.max(1, call.deadline().toNanos()); // Jetty's zero is no timeout
      request.timeout(nanos, TimeUnit.NANOSECONDS);
    }
    request.headers(
        headers -> {
          call.headers().forEach(each -> headers.add(each.getKey(), each.getValue()));
          if (call.expectContinue()) {
            headers.put(HttpHeader.EXPECT, "100-continue");
          }
          if (call.body() instanceof Body.Stream stream && stream.length() >= 0) {
            headers.put(HttpHeader.CONTENT_LENGTH, stream.length());
          }
        });
    if (settings.cookies() && settings.followRedirects()) { // who asks for all, wants all hooks
      Consumer<String> probe = settings.probe();
      request
          .onRequestBegin(begun -> probe.accept("request listener"))
          .onResponseHeaders(response -> probe.accept("response listener"))
          .onResponseSuccess(response -> probe.accept("response listener"));
    }
    return new JettyCall(request, call.body());
  }

  @Override
  public String describe() {
    return client.toString();
  }

  @Override
  public int leases() {
    int leases = 0;
    for (Destination each : client.getDestinations()) {
      leases += ((HttpDestination) each).getQueuedRequestCount();
      if (each.getConnectionPool() instanceof AbstractConnectionPool pool
          && !settings.wire().isMultiplexed()) {
        leases += pool.getActiveConnectionCount();
      }
    }
    for (SessionContainer each : client.getContainedBeans(SessionContainer.class)) {
      for (Session session : each.getSessions()) {
        leases += session.getStreams().size();
      }
    }
    return leases;
  }

  @Override
  public void close() throws IOException {
    try {
      client.stop();
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  /** A call with a streaming response, as a user of this client would make it. */
  private static final class JettyCall implements PreparedCall {
    private final Request request;
    private final @Nullable Body body;

    JettyCall(Request request, @Nullable Body body) {
      this.request = request;
      this.body = body;
    }

    @Override
    public Reply execute() throws Exception {
      BlockingResponseListener listener = new BlockingResponseListener();
      if (body instanceof Body.Bytes bytes) {
        request.body(new BytesRequestContent(bytes.bytes()));
        request.send(listener);
      } else if (body instanceof Body.OfFile file) {
        request.body(new PathRequestContent(file.path()));
        request.send(listener);
      } else if (body != null) {
        BlockingRequestContent content = new BlockingRequestContent();
        request.body(content).send(listener);
        write(body, content, listener);
      } else {
        request.send(listener);
      }
      return new JettyReply(listener.get(1, TimeUnit.DAYS), listener);
    }

    /** A write that fails because of the exchange is told by the listener, which knows better. */
    private static void write(
        Body body, BlockingRequestContent content, BlockingResponseListener listener)
        throws IOException, InterruptedException, TimeoutException, ExecutionException {
      OutputStream out = content.getOutputStream();
      try {
        if (body instanceof Body.Stream stream) {
          stream.in().transferTo(out);
        } else {
          ((Body.Writer) body).writer().writeTo(out);
        }
        out.close(); // not where it failed: that would end a cut body as a whole one
      } catch (InterruptedIOException e) {
        content.fail(e); // it may be the source's
        throw e;
      } catch (JettyRequestBody.NoMoreWanted early) {
        out.close(); // as try-with-resources does
        listener.get(1, TimeUnit.DAYS);
      } catch (IOException | RuntimeException | Error e) {
        content.fail(e);
        listener.get(1, TimeUnit.DAYS);
      }
    }

    @Override
    public void cancel() {
      CompletableFuture<Boolean> unused = request.abort(new CancellationException("cancelled"));
    }
  }

  /** A response on its way. */
  private record JettyReply(Response response, BlockingResponseListener listener, InputStream body)
      implements Reply {

    JettyReply(Response response, BlockingResponseListener listener) {
      this(response, listener, listener.getInputStream());
    }

    @Override
    public int status() {
      return response.getStatus();
    }

    @Override
    public @Nullable String header(String name) {
      return response.getHeaders().get(name);
    }

    @Override
    public String protocol() {
      String version = response.getVersion().asString();
      return version.equals("HTTP/2.0") ? "HTTP/2" : version;
    }

    @Override
    public Map<String, String> trailers() {
      Map<String, String> trailers = new TreeMap<>();
      HttpFields fields = response.getTrailers();
      if (fields != null) {
        for (HttpField each : fields) {
          trailers.put(each.getName().toLowerCase(Locale.ROOT), each.getValue());
        }
      }
      return trailers;
    }

    @Override
    public void close() {
      listener.close();
    }
  }

  private static final class ProbedCookies extends HttpCookieStore.Default {
    private final Consumer<String> probe;

    ProbedCookies(Consumer<String> probe) {
      this.probe = probe;
    }

    @Override
    public boolean add(URI uri, HttpCookie cookie) {
      probe.accept("cookie store");
      return super.add(uri, cookie);
    }

    @Override
    public List<HttpCookie> match(URI uri) {
      probe.accept("cookie store");
      return super.match(uri);
    }
  }

  private static final class ProbedAuthentication extends BasicAuthentication {
    private final Consumer<String> probe;

    ProbedAuthentication(ClientSettings.Credentials credentials, Consumer<String> probe) {
      super(
          URI.create("http://heddle.test"),
          Authentication.ANY_REALM,
          credentials.user(),
          credentials.password());
      this.probe = probe;
    }

    @Override
    public boolean matches(String type, URI uri, String realm) {
      probe.accept("authentication");
      return getType().equalsIgnoreCase(type);
    }

    @Override
    public Result authenticate(
        Request request, ContentResponse response, HeaderInfo header, Attributes context) {
      probe.accept("authentication");
      return super.authenticate(request, response, header, context);
    }
  }
}
