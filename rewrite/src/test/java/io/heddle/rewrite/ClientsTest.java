package io.heddle.rewrite;

import static org.openrewrite.java.Assertions.java;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;

/** Users' code with Jetty's client, AHC, OkHttp, the JDK's client or Jersey becomes ours. */
class ClientsTest implements RewriteTest {

  @Override
  public void defaults(RecipeSpec spec) {
    Recipes.run(spec, "io.heddle.MigrateToHeddle");
  }

  // ---- Jetty ----------------------------------------------------------------------------------

  @Test
  void jetty() {
    rewriteRun(
        java(
            """
            import org.eclipse.jetty.client.HttpClient;
            import org.eclipse.jetty.client.HttpClientTransport;
            import org.eclipse.jetty.client.InputStreamResponseListener;
            import org.eclipse.jetty.client.OutputStreamRequestContent;

            class Orders {
              final HttpClient client = new HttpClient();
              final HttpClient http2;

              Orders(HttpClientTransport transport) {
                http2 = new HttpClient(transport);
                http2.setMaxConnectionsPerDestination(4);
              }

              void post() throws Exception {
                OutputStreamRequestContent content = new OutputStreamRequestContent("text/plain");
                try (InputStreamResponseListener listener = new InputStreamResponseListener()) {
                  client.POST("http://a/").body(content).send(listener);
                }
              }
            }
            """,
            """
            import io.heddle.jetty.BlockingJettyClient;
            import io.heddle.jetty.BlockingRequestContent;
            import io.heddle.jetty.BlockingResponseListener;
            import org.eclipse.jetty.client.HttpClient;
            import org.eclipse.jetty.client.HttpClientTransport;
            import org.eclipse.jetty.client.InputStreamResponseListener;
            import org.eclipse.jetty.client.OutputStreamRequestContent;

            class Orders {
              final HttpClient client = new BlockingJettyClient();
              final HttpClient http2;

              Orders(HttpClientTransport transport) {
                http2 = new BlockingJettyClient(transport);
                http2.setMaxConnectionsPerDestination(4);
              }

              void post() throws Exception {
                OutputStreamRequestContent content = new BlockingRequestContent("text/plain");
                try (InputStreamResponseListener listener = new BlockingResponseListener()) {
                  client.POST("http://a/").body(content).send(listener);
                }
              }
            }
            """));
  }

  @Test
  void jettyWhatHasNoCounterpartLeavesAComment() {
    rewriteRun(
        java(
            """
            import org.eclipse.jetty.client.HttpClient;
            import org.eclipse.jetty.util.thread.VirtualThreadPool;

            class Orders extends HttpClient {
              HttpClient client() {
                HttpClient client = new HttpClient() {};
                client.setExecutor(new VirtualThreadPool());
                return client;
              }
            }
            """,
            """
            import org.eclipse.jetty.client.HttpClient;
            import org.eclipse.jetty.util.thread.VirtualThreadPool;

            // Heddle: extend BlockingJettyClient instead.
            class Orders extends HttpClient {
              HttpClient client() {
                // Heddle: stays Jetty's, as it has a body of its own; BlockingJettyClient can have one.
                HttpClient client = new HttpClient() {};
                // Heddle: a VirtualThreadPool has no place here: leave it out, or set a QueuedThreadPool.
                client.setExecutor(new VirtualThreadPool());
                return client;
              }
            }
            """));
  }

  @Test
  void jettyAConstructorOfJetty9Stays() {
    rewriteRun(
        java(
            """
            package org.eclipse.jetty.client;

            public class HttpClient {
              public HttpClient(String transport) {}

              public HttpClient(HttpClientTransport transport, Object tls) {}
            }

            class Changed extends HttpClient {
              Changed() {
                super("so that this is compiled with the rest");
              }
            }
            """,
            """
            package org.eclipse.jetty.client;

            public class HttpClient {
              public HttpClient(String transport) {}

              public HttpClient(HttpClientTransport transport, Object tls) {}
            }

            // Heddle: extend BlockingJettyClient instead.
            class Changed extends HttpClient {
              Changed() {
                super("so that this is compiled with the rest");
              }
            }
            """),
        java(
            """
            import org.eclipse.jetty.client.HttpClient;
            import org.eclipse.jetty.client.HttpClientTransport;

            class Orders {
              HttpClient one = new HttpClient("http");

              HttpClient two(HttpClientTransport transport) {
                return new HttpClient(transport, "tls");
              }
            }
            """,
            """
            import org.eclipse.jetty.client.HttpClient;
            import org.eclipse.jetty.client.HttpClientTransport;

            class Orders {
              // Heddle: stays Jetty's, as BlockingJettyClient has no constructor like this.
              HttpClient one = new HttpClient("http");

              HttpClient two(HttpClientTransport transport) {
                // Heddle: stays Jetty's, as BlockingJettyClient has no constructor like this.
                return new HttpClient(transport, "tls");
              }
            }
            """));
  }

  // ---- AsyncHttpClient ------------------------------------------------------------------------

  @Test
  void ahc() {
    rewriteRun(
        java(
            """
            import static org.asynchttpclient.Dsl.asyncHttpClient;
            import static org.asynchttpclient.Dsl.config;

            import org.asynchttpclient.AsyncHttpClient;
            import org.asynchttpclient.AsyncHttpClientConfig;
            import org.asynchttpclient.DefaultAsyncHttpClient;
            import org.asynchttpclient.Dsl;

            class Orders {
              final AsyncHttpClient one = asyncHttpClient();
              final AsyncHttpClient two = asyncHttpClient(config().setMaxConnections(20));
              final AsyncHttpClient three;

              Orders(AsyncHttpClientConfig config) {
                three = new DefaultAsyncHttpClient(config);
              }

              AsyncHttpClient four(AsyncHttpClientConfig config) {
                return Dsl.asyncHttpClient(config);
              }

              AsyncHttpClient five() {
                return new DefaultAsyncHttpClient();
              }
            }
            """,
            """
            import static org.asynchttpclient.Dsl.config;

            import io.heddle.ahc.BlockingAhcClient;
            import org.asynchttpclient.AsyncHttpClient;
            import org.asynchttpclient.AsyncHttpClientConfig;

            class Orders {
              final AsyncHttpClient one = new BlockingAhcClient();
              final AsyncHttpClient two = new BlockingAhcClient(config().setMaxConnections(20).build());
              final AsyncHttpClient three;

              Orders(AsyncHttpClientConfig config) {
                three = new BlockingAhcClient(config);
              }

              AsyncHttpClient four(AsyncHttpClientConfig config) {
                return new BlockingAhcClient(config);
              }

              AsyncHttpClient five() {
                return new BlockingAhcClient();
              }
            }
            """));
  }

  @Test
  void ahcWhatHasNoCounterpartLeavesAComment() {
    rewriteRun(
        java(
            """
            import org.asynchttpclient.DefaultAsyncHttpClient;

            class Orders {
              final DefaultAsyncHttpClient client = new DefaultAsyncHttpClient();
            }
            """,
            """
            import org.asynchttpclient.DefaultAsyncHttpClient;

            class Orders {
              // Heddle: stays AHC's, as more than an AsyncHttpClient may be wanted of it.
              final DefaultAsyncHttpClient client = new DefaultAsyncHttpClient();
            }
            """));
  }

  @Test
  void ahcACastLeavesAComment() {
    rewriteRun(
        java(
            """
            import org.asynchttpclient.DefaultAsyncHttpClient;
            import org.asynchttpclient.Dsl;

            class Orders {
              Object client = (DefaultAsyncHttpClient) Dsl.asyncHttpClient();
            }
            """,
            """
            import org.asynchttpclient.DefaultAsyncHttpClient;
            import org.asynchttpclient.Dsl;

            class Orders {
              // Heddle: stays AHC's, as more than an AsyncHttpClient may be wanted of it.
              Object client = (DefaultAsyncHttpClient) Dsl.asyncHttpClient();
            }
            """));
  }

  // ---- OkHttp ---------------------------------------------------------------------------------

  @Test
  void okHttp() {
    rewriteRun(
        java(
            """
            import java.time.Duration;
            import okhttp3.OkHttpClient;

            class Orders {
              final OkHttpClient plain = new OkHttpClient();
              final OkHttpClient built =
                      new OkHttpClient.Builder()
                              .callTimeout(Duration.ofSeconds(5))
                              .build();
              final OkHttpClient derived = plain.newBuilder().followRedirects(false).build();

              OkHttpClient from(OkHttpClient.Builder builder) {
                return builder.build();
              }
            }
            """,
            """
            import java.time.Duration;

            import io.heddle.okhttp.BlockingOkHttpClient;
            import okhttp3.OkHttpClient;

            class Orders {
              final OkHttpClient plain = BlockingOkHttpClient.wrap(new OkHttpClient());
              final OkHttpClient built =
                      BlockingOkHttpClient.wrap(new OkHttpClient.Builder()
                              .callTimeout(Duration.ofSeconds(5))
                              .build());
              final OkHttpClient derived = plain.newBuilder().followRedirects(false).build();

              OkHttpClient from(OkHttpClient.Builder builder) {
                return BlockingOkHttpClient.wrap(builder.build());
              }
            }
            """));
  }

  // ---- the JDK --------------------------------------------------------------------------------

  @Test
  void jdk() {
    rewriteRun(
        java(
            """
            import java.net.http.HttpClient;
            import java.time.Duration;

            class Orders {
              final HttpClient plain = HttpClient.newHttpClient();

              void once() {
                try (HttpClient client =
                        HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build()) {
                  System.out.println(client.version());
                }
              }
            }
            """,
            """
            import io.heddle.jdk.BlockingJdkHttpClient;

            import java.net.http.HttpClient;
            import java.time.Duration;

            class Orders {
              final HttpClient plain = BlockingJdkHttpClient.wrap(HttpClient.newHttpClient());

              void once() {
                try (HttpClient client =
                        BlockingJdkHttpClient.wrap(HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build())) {
                  System.out.println(client.version());
                }
              }
            }
            """));
  }

  // ---- Jersey ---------------------------------------------------------------------------------

  @Test
  void jersey() {
    rewriteRun(
        java(
            """
            import jakarta.ws.rs.client.Client;
            import jakarta.ws.rs.client.ClientBuilder;
            import org.glassfish.jersey.apache5.connector.Apache5ConnectorProvider;
            import org.glassfish.jersey.client.ClientConfig;
            import org.glassfish.jersey.client.HttpUrlConnectorProvider;

            class Orders {
              Client client() {
                return ClientBuilder.newClient(
                    new ClientConfig().connectorProvider(new Apache5ConnectorProvider()));
              }

              Client other() {
                return ClientBuilder.newClient(
                    new ClientConfig()
                        .connectorProvider(new HttpUrlConnectorProvider().useFixedLengthStreaming()));
              }
            }
            """,
            """
            import io.heddle.jersey.HeddleConnectorProvider;
            import jakarta.ws.rs.client.Client;
            import jakarta.ws.rs.client.ClientBuilder;
            import org.glassfish.jersey.client.ClientConfig;
            import org.glassfish.jersey.client.HttpUrlConnectorProvider;

            class Orders {
              Client client() {
                // Heddle: cookies are not kept unless Apache5ClientProperties.DISABLE_COOKIES is false.
                return ClientBuilder.newClient(
                    new ClientConfig().connectorProvider(new HeddleConnectorProvider()));
              }

              Client other() {
                // Heddle: new HeddleConnectorProvider() goes here, but has no counterpart to the settings of HttpUrlConnectorProvider.
                return ClientBuilder.newClient(
                    new ClientConfig()
                        .connectorProvider(new HttpUrlConnectorProvider().useFixedLengthStreaming()));
              }
            }
            """));
  }

  @Test
  void jerseyWhereTheTypeIsNamed() {
    rewriteRun(
        java(
            """
            import java.util.function.Supplier;
            import org.glassfish.jersey.apache5.connector.Apache5ConnectorProvider;
            import org.glassfish.jersey.client.spi.ConnectorProvider;

            class Orders {
              Apache5ConnectorProvider one = new Apache5ConnectorProvider();
              ConnectorProvider two = new Apache5ConnectorProvider();
              Supplier<ConnectorProvider> three = Apache5ConnectorProvider::new;

              ConnectorProvider four(boolean plain) {
                if (plain) {
                  return new Apache5ConnectorProvider();
                }
                return two;
              }
            }
            """,
            """
            import java.util.function.Supplier;

            import io.heddle.jersey.HeddleConnectorProvider;
            import org.glassfish.jersey.apache5.connector.Apache5ConnectorProvider;
            import org.glassfish.jersey.client.spi.ConnectorProvider;

            class Orders {
              // Heddle: stays Jersey's, as more than a ConnectorProvider may be wanted of it.
              Apache5ConnectorProvider one = new Apache5ConnectorProvider();
              // Heddle: cookies are not kept unless Apache5ClientProperties.DISABLE_COOKIES is false.
              ConnectorProvider two = new HeddleConnectorProvider();
              // Heddle: a method reference stays as it is; a lambda can use new HeddleConnectorProvider().
              Supplier<ConnectorProvider> three = Apache5ConnectorProvider::new;

              ConnectorProvider four(boolean plain) {
                if (plain) {
                  // Heddle: cookies are not kept unless Apache5ClientProperties.DISABLE_COOKIES is false.
                  return new HeddleConnectorProvider();
                }
                return two;
              }
            }
            """));
  }

  // ---- all ------------------------------------------------------------------------------------

  @Test
  void aPlaceThatInfersItsTypeGetsTheLibrarys() {
    rewriteRun(
        java(
            """
            import java.net.http.HttpClient;
            import java.util.List;
            import java.util.Optional;
            import java.util.function.Supplier;
            import java.util.stream.Stream;

            class Jdk {
              List<HttpClient> list = Stream.of(1).map(each -> HttpClient.newHttpClient()).toList();
              Supplier<HttpClient> supplier =
                  () -> {
                    return HttpClient.newHttpClient();
                  };
              Runnable action = () -> HttpClient.newHttpClient();

              HttpClient any(Optional<String> name, HttpClient other) {
                var client = HttpClient.newHttpClient();
                client = other;
                System.out.println(HttpClient.newHttpClient().version());
                return name.map(each -> each.isEmpty() ? other : HttpClient.newHttpClient()).orElse(client);
              }

              HttpClient chosen(int number) {
                return Optional.of(
                        switch (number) {
                          case 1 -> HttpClient.newHttpClient();
                          default -> {
                            yield HttpClient.newHttpClient();
                          }
                        })
                    .orElseThrow();
              }

              HttpClient declared(boolean one, HttpClient other) {
                return one ? HttpClient.newHttpClient() : declared(true, HttpClient.newHttpClient());
              }
            }
            """,
            """
            import io.heddle.jdk.BlockingJdkHttpClient;

            import java.net.http.HttpClient;
            import java.util.List;
            import java.util.Optional;
            import java.util.function.Supplier;
            import java.util.stream.Stream;

            class Jdk {
              List<HttpClient> list = Stream.of(1).map(each -> (HttpClient) BlockingJdkHttpClient.wrap(HttpClient.newHttpClient())).toList();
              Supplier<HttpClient> supplier =
                  () -> {
                    return (HttpClient) BlockingJdkHttpClient.wrap(HttpClient.newHttpClient());
                  };
              Runnable action = () -> BlockingJdkHttpClient.wrap(HttpClient.newHttpClient());

              HttpClient any(Optional<String> name, HttpClient other) {
                var client = (HttpClient) BlockingJdkHttpClient.wrap(HttpClient.newHttpClient());
                client = other;
                System.out.println(BlockingJdkHttpClient.wrap(HttpClient.newHttpClient()).version());
                return name.map(each -> each.isEmpty() ? other : (HttpClient) BlockingJdkHttpClient.wrap(HttpClient.newHttpClient())).orElse(client);
              }

              HttpClient chosen(int number) {
                return Optional.of(
                        switch (number) {
                          case 1 -> (HttpClient) BlockingJdkHttpClient.wrap(HttpClient.newHttpClient());
                          default -> {
                            yield (HttpClient) BlockingJdkHttpClient.wrap(HttpClient.newHttpClient());
                          }
                        })
                    .orElseThrow();
              }

              HttpClient declared(boolean one, HttpClient other) {
                return one ? BlockingJdkHttpClient.wrap(HttpClient.newHttpClient()) : declared(true, BlockingJdkHttpClient.wrap(HttpClient.newHttpClient()));
              }
            }
            """),
        java(
            """
            import okhttp3.OkHttpClient;

            class OkHttp {
              OkHttpClient any(OkHttpClient other) {
                var client = new OkHttpClient.Builder().build();
                client = other;
                return client;
              }
            }
            """,
            """
            import io.heddle.okhttp.BlockingOkHttpClient;
            import okhttp3.OkHttpClient;

            class OkHttp {
              OkHttpClient any(OkHttpClient other) {
                var client = (OkHttpClient) BlockingOkHttpClient.wrap(new OkHttpClient.Builder().build());
                client = other;
                return client;
              }
            }
            """),
        java(
            """
            import static org.asynchttpclient.Dsl.asyncHttpClient;

            class Ahc {
              void any() {
                var client = asyncHttpClient();
                client = new Ahc().other();
              }

              org.asynchttpclient.AsyncHttpClient other() {
                return null;
              }
            }
            """,
            """
            import io.heddle.ahc.BlockingAhcClient;
            import org.asynchttpclient.AsyncHttpClient;

            class Ahc {
              void any() {
                var client = (AsyncHttpClient) new BlockingAhcClient();
                client = new Ahc().other();
              }

              AsyncHttpClient other() {
                return null;
              }
            }
            """),
        java(
            """
            import java.net.http.HttpClient;

            class Jetty {
              HttpClient jdk;

              void any(org.eclipse.jetty.client.HttpClient other) {
                var client = new org.eclipse.jetty.client.HttpClient();
                client = other;
              }
            }
            """,
            """
            import io.heddle.jetty.BlockingJettyClient;

            import java.net.http.HttpClient;

            class Jetty {
              HttpClient jdk;

              void any(org.eclipse.jetty.client.HttpClient other) {
                var client = (org.eclipse.jetty.client.HttpClient) new BlockingJettyClient();
                client = other;
              }
            }
            """));
  }

  @Test
  void methodReferencesStay() {
    rewriteRun(
        java(
            """
            import java.util.function.Function;
            import java.util.function.Supplier;
            import okhttp3.OkHttpClient;
            import org.asynchttpclient.AsyncHttpClient;
            import org.asynchttpclient.DefaultAsyncHttpClient;
            import org.asynchttpclient.Dsl;
            import org.eclipse.jetty.client.HttpClient;

            class Orders {
              Supplier<java.net.http.HttpClient> one = java.net.http.HttpClient::newHttpClient;
              Supplier<OkHttpClient> two = OkHttpClient::new;
              Function<OkHttpClient.Builder, OkHttpClient> three = OkHttpClient.Builder::build;
              Supplier<AsyncHttpClient> four = Dsl::asyncHttpClient;
              Supplier<AsyncHttpClient> five = DefaultAsyncHttpClient::new;
              Supplier<HttpClient> six = HttpClient::new;
            }
            """,
            """
            import java.util.function.Function;
            import java.util.function.Supplier;
            import okhttp3.OkHttpClient;
            import org.asynchttpclient.AsyncHttpClient;
            import org.asynchttpclient.DefaultAsyncHttpClient;
            import org.asynchttpclient.Dsl;
            import org.eclipse.jetty.client.HttpClient;

            class Orders {
              // Heddle: a method reference stays as it is; a lambda can use BlockingJdkHttpClient.wrap(..).
              Supplier<java.net.http.HttpClient> one = java.net.http.HttpClient::newHttpClient;
              // Heddle: a method reference stays as it is; a lambda can use BlockingOkHttpClient.wrap(..).
              Supplier<OkHttpClient> two = OkHttpClient::new;
              // Heddle: a method reference stays as it is; a lambda can use BlockingOkHttpClient.wrap(..).
              Function<OkHttpClient.Builder, OkHttpClient> three = OkHttpClient.Builder::build;
              // Heddle: a method reference stays as it is; a lambda can use new BlockingAhcClient(..).
              Supplier<AsyncHttpClient> four = Dsl::asyncHttpClient;
              // Heddle: a method reference stays as it is; a lambda can use new BlockingAhcClient(..).
              Supplier<AsyncHttpClient> five = DefaultAsyncHttpClient::new;
              // Heddle: a method reference stays as it is; a lambda can use new BlockingJettyClient(..).
              Supplier<HttpClient> six = HttpClient::new;
            }
            """));
  }

  @ParameterizedTest
  @CsvSource({
    "org.eclipse.jetty:jetty-client, 12.0.30, 12.1, new org.eclipse.jetty.client.HttpClient()",
    "org.eclipse.jetty:jetty-client, 9.4.58.v20250814, 12.1, new org.eclipse.jetty.client.HttpClient()",
    "org.asynchttpclient:async-http-client, 2.12.4, 3.0, org.asynchttpclient.Dsl.asyncHttpClient()",
    "com.squareup.okhttp3:okhttp, 4.12.0, 5.5, new okhttp3.OkHttpClient()",
    "com.squareup.okhttp3:okhttp-jvm, 5.0.0, 5.5, new okhttp3.OkHttpClient()",
    "org.glassfish.jersey.core:jersey-client, 3.0.18, 3.1, new org.glassfish.jersey.apache5.connector.Apache5ConnectorProvider()",
    "org.apache.httpcomponents.client5:httpclient5, 5.3.1, 5.6, new org.glassfish.jersey.apache5.connector.Apache5ConnectorProvider()",
    "org.apache.httpcomponents.core5:httpcore5, 5.3.6, 5.4, org.apache.hc.client5.http.impl.classic.HttpClients.createDefault()",
  })
  void anOlderLibraryIsToBeUpgraded(String library, String version, String needed, String client) {
    String source =
        """
        class Orders {
          Object client = %s;
        }
        """
            .formatted(client);
    String comment =
        "  // Heddle: needs %s %s or later, and this has %s: upgrade it, then run the recipe again.\n"
            .formatted(library.substring(library.indexOf(':') + 1), needed, version);
    rewriteRun(
        java(
            source,
            source.replace("  Object", comment + "  Object"),
            spec -> spec.markers(Recipes.classPath(library + ":" + version))));
  }

  @Test
  void whatIsMigratedAlreadyStays() {
    rewriteRun(
        spec -> spec.expectedCyclesThatMakeChanges(0),
        java(
            """
            import io.heddle.ahc.BlockingAhcClient;
            import io.heddle.jersey.HeddleConnectorProvider;
            import io.heddle.jetty.BlockingJettyClient;
            import io.heddle.jetty.BlockingRequestContent;
            import org.asynchttpclient.Dsl;

            class Orders {
              Object jetty = new BlockingJettyClient();
              Object content = new BlockingRequestContent();
              Object ahc = new BlockingAhcClient(Dsl.config().build());
              Object jersey = new HeddleConnectorProvider();
            }
            """),
        java(
            """
            import io.heddle.okhttp.BlockingOkHttpClient;
            import okhttp3.OkHttpClient;

            class Calls {
              OkHttpClient stock = new OkHttpClient.Builder().build();
              OkHttpClient client = BlockingOkHttpClient.builder(stock).maxRequests(3).build();
            }
            """),
        java(
            """
            import io.heddle.jdk.BlockingJdkHttpClient;
            import java.net.http.HttpClient;

            class Jdk {
              HttpClient client = BlockingJdkHttpClient.wrap(HttpClient.newHttpClient());
            }
            """));
  }

  @Test
  void otherCodeStays() {
    rewriteRun(
        spec -> spec.expectedCyclesThatMakeChanges(0),
        java(
            """
            import java.net.http.HttpRequest;
            import okhttp3.Request;
            import org.eclipse.jetty.client.BytesRequestContent;

            class Orders {
              Object request = HttpRequest.newBuilder().build();
              Object call = new Request.Builder().url("http://a/").build();
              Object content = new BytesRequestContent();

              static class HttpClient {}

              Object mine = new HttpClient();
            }
            """));
  }
}
