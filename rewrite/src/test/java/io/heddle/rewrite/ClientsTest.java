package io.heddle.rewrite;

import static org.openrewrite.java.Assertions.java;

import org.junit.jupiter.api.Test;
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

  // ---- all ------------------------------------------------------------------------------------

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
