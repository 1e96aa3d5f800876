package io.heddle.ahc;

import io.heddle.conformance.Body;
import io.heddle.conformance.Call;
import io.heddle.conformance.Client;
import io.heddle.conformance.ClientSettings;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.NameLookup;
import io.heddle.conformance.PreparedCall;
import io.heddle.conformance.Reply;
import io.heddle.conformance.Wire;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.resolver.InetNameResolver;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.asynchttpclient.AsyncHttpClientConfig;
import org.asynchttpclient.DefaultAsyncHttpClientConfig;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Request;
import org.asynchttpclient.RequestBuilder;
import org.asynchttpclient.filter.FilterContext;
import org.asynchttpclient.filter.RequestFilter;
import org.asynchttpclient.request.body.generator.InputStreamBodyGenerator;
import org.jspecify.annotations.Nullable;

/** A client as the kit's settings want it, with a probe in each hook of the blocking calls. */
final class AhcClient implements Client {

  private final ClientSettings settings;
  private final BlockingAhcClient client;

  AhcClient(ClientSettings settings) throws SSLException {
    this.settings = settings;
    this.client = new BlockingAhcClient(config(settings));
  }

  static AsyncHttpClientConfig config(ClientSettings settings) throws SSLException {
    Wire wire = settings.wire();
    Consumer<String> probe = settings.probe();
    DefaultAsyncHttpClientConfig.Builder builder =
        Dsl.config()
            .setMaxConnections(settings.maxConnections())
            .setConnectTimeout(settings.connectTimeout())
            .setAcquireFreeChannelTimeout((int) settings.leaseTimeout().toMillis())
            .setReadTimeout(settings.readTimeout())
            .setRequestTimeout(
                settings.deadline() == null ? Duration.ofMillis(-1) : settings.deadline())
            .setHttp2Enabled(wire.isMultiplexed())
            .setHttp2CleartextEnabled(wire == Wire.H2C)
            .setFollowRedirect(settings.followRedirects())
            .setCompressionEnforced(settings.decompress())
            .setEnableAutomaticDecompression(settings.decompress())
            .addRequestFilter(new ProbedFilter(probe));
    if (!settings.cookies()) {
      builder.setCookieStore(null);
    }
    if (settings.trusted() != null) {
      builder.setSslContext(tls(settings.trusted(), wire.isMultiplexed()));
    }
    if (settings.credentials() != null) {
      builder.setRealm(
          Dsl.basicAuthRealm(settings.credentials().user(), settings.credentials().password()));
    }
    return builder.build();
  }

  /** TLS that trusts this certificate alone. HTTP/2 is negotiated, as users have it. */
  static SslContext tls(X509Certificate certificate, boolean http2) throws SSLException {
    SslContextBuilder builder =
        SslContextBuilder.forClient()
            .trustManager(certificate)
            .ciphers(FaultServer.ciphers()) // Netty offers none but AES by itself
            .endpointIdentificationAlgorithm("HTTPS");
    if (http2) {
      builder.applicationProtocolConfig(
          new ApplicationProtocolConfig(
              ApplicationProtocolConfig.Protocol.ALPN,
              ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
              ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
              ApplicationProtocolNames.HTTP_2,
              ApplicationProtocolNames.HTTP_1_1));
    }
    return builder.build();
  }

  void onEventLoop(Runnable work) throws Exception {
    client.engine().client().getEventLoopGroup().submit(work).get();
  }

  @Override
  public PreparedCall prepare(Call call) {
    RequestBuilder builder = new RequestBuilder(call.method()).setUrl(call.uri().toString());
    call.headers().forEach(header -> builder.addHeader(header.getKey(), header.getValue()));
    if (call.expectContinue()) {
      builder.setHeader("Expect", "100-continue");
    }
    if (settings.lookup() != null) {
      builder.setNameResolver(new Lookup(settings.lookup()));
    }
    body(builder, call.body());
    Request request = builder.build();
    AhcCall made =
        call.deadline() == null
            ? client.newCall(request)
            : client.newCall(request, call.deadline());
    return new PreparedCall() {
      @Override
      public Reply execute() throws IOException, InterruptedException {
        return new AhcReply(made.stream());
      }

      @Override
      public void cancel() {
        made.cancel();
      }
    };
  }

  private static void body(RequestBuilder builder, @Nullable Body body) {
    if (body instanceof Body.Bytes bytes) {
      builder.setBody(bytes.bytes());
    } else if (body instanceof Body.OfFile file) {
      builder.setBody(file.path().toFile());
    } else if (body instanceof Body.Stream stream && stream.length() >= 0) {
      builder.setBody(new InputStreamBodyGenerator(stream.in(), stream.length()));
    } else if (body instanceof Body.Stream stream) {
      builder.setBody(stream.in());
    } else if (body instanceof Body.Writer writer) {
      builder.setBody(new WrittenBody(writer.writer()::writeTo));
    }
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
    client.close();
  }

  private record AhcReply(StreamingResponse response) implements Reply {
    @Override
    public int status() {
      return response.getStatusCode();
    }

    @Override
    public @Nullable String header(String name) {
      return response.getHeader(name);
    }

    @Override
    public String protocol() {
      String version = response.getStatus().getProtocolText();
      return version.equals("HTTP/2.0") ? "HTTP/2" : version;
    }

    @Override
    public InputStream body() {
      return response.getBodyAsStream();
    }

    @Override
    public Map<String, String> trailers() {
      Map<String, String> trailers = new TreeMap<>();
      for (Map.Entry<String, String> each : response.getTrailers()) {
        trailers.put(each.getKey().toLowerCase(Locale.ROOT), each.getValue());
      }
      return trailers;
    }

    @Override
    public void close() {
      response.close();
    }
  }

  /** As users write one: it blocks. */
  private static final class Lookup extends InetNameResolver {
    private final NameLookup lookup;

    Lookup(NameLookup lookup) {
      super(ImmediateEventExecutor.INSTANCE);
      this.lookup = lookup;
    }

    @Override
    protected void doResolve(String host, Promise<InetAddress> promise) {
      try {
        promise.setSuccess(lookup.lookup(host).get(0));
      } catch (UnknownHostException e) {
        promise.setFailure(e);
      }
    }

    @Override
    protected void doResolveAll(String host, Promise<List<InetAddress>> promise) {
      try {
        promise.setSuccess(lookup.lookup(host));
      } catch (UnknownHostException e) {
        promise.setFailure(e);
      }
    }
  }

  private record ProbedFilter(Consumer<String> probe) implements RequestFilter {
    @Override
    public <T> FilterContext<T> filter(FilterContext<T> context) {
      probe.accept("request filter");
      return context;
    }
  }
}
