package io.heddle.packaging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.LogWatch;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.github.resilience4j.timelimiter.TimeLimiter;
import io.heddle.apache.BlockingConnectionManager;
import io.heddle.apache.BlockingHttpClients;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import io.heddle.jdk.BlockingJdkHttpClient;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.BasicHttpClientResponseHandler;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What docs/recipes.md says, where running its code does not show it. */
@Timeout(60)
class RecipesTest {

  @Test
  void aTimeLimiterThatCancelsEndsTheCall() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingConnectionManager manager = BlockingConnectionManager.builder().build();
        CloseableHttpClient client =
            BlockingHttpClients.custom().setConnectionManager(manager).build();
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      client.execute(new HttpGet(server.uri(Script.ok())), new BasicHttpClientResponseHandler());
      URI uri = server.uri(Script.ok().fault(Script.Fault.STALL));
      TimeLimiter limiter = TimeLimiter.of(Duration.ofSeconds(4)); // the request has left by then

      assertThrows(
          TimeoutException.class,
          () ->
              limiter.executeFutureSupplier(
                  () ->
                      callers.submit(
                          () ->
                              client.execute(
                                  new HttpGet(uri), new BasicHttpClientResponseHandler()))));

      callers.shutdown();
      assertTrue(callers.awaitTermination(30, TimeUnit.SECONDS));
      assertEquals(0, manager.getTotalStats().getLeased());
      for (int i = 0; i < 300 && !server.seen(uri).getFirst().isAborted(); i++) {
        Thread.sleep(100);
      }
      assertTrue(server.seen(uri).getFirst().isAborted(), "the server sees the abort");
    }
  }

  /**
   * fabric8's request timeout covers the body of a call, as it has that from the JDK's request; a
   * log has none, and goes on.
   */
  @Test
  void fabric8sRequestTimeoutCoversTheBodyButNoLog() throws Exception {
    Semaphore logMayEnd = new Semaphore(0);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          OutputStream body = exchange.getResponseBody();
          body.write("half".getBytes(UTF_8));
          body.flush();
          logMayEnd.acquireUninterruptibly();
          body.write(", whole".getBytes(UTF_8));
          exchange.close();
        });
    server.start();
    List<BlockingJdkHttpClient> made = new CopyOnWriteArrayList<>();
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("http://localhost:" + server.getAddress().getPort())
            .withNamespace("here")
            .withRequestTimeout(3000)
            .withRequestRetryBackoffLimit(0)
            .build();
    try (KubernetesClient kubernetes =
        new KubernetesClientBuilder()
            .withConfig(config)
            .withHttpClientFactory(new Fabric8Factory(made))
            .build()) {
      ByteArrayOutputStream log = new ByteArrayOutputStream();
      try (LogWatch watch = kubernetes.pods().withName("a").watchLog(log)) {
        Objects.requireNonNull(watch);
        KubernetesClientException thrown =
            assertThrows(KubernetesClientException.class, () -> kubernetes.raw("/version"));
        assertInstanceOf(HttpTimeoutException.class, thrown.getCause().getCause());

        await(() -> made.getFirst().inFlight() == 1); // the log
        logMayEnd.release(10);
        await(() -> log.toString(UTF_8).equals("half, whole"));
      }
    } finally {
      logMayEnd.release(100);
      server.stop(0);
    }
  }

  private static void await(BooleanSupplier holds) throws InterruptedException {
    for (int i = 0; i < 300 && !holds.getAsBoolean(); i++) {
      Thread.sleep(100);
    }
    assertTrue(holds.getAsBoolean());
  }

  /** The one of the page, which tells what it has made. */
  private static final class Fabric8Factory extends JdkHttpClientFactory {
    private final List<BlockingJdkHttpClient> made;

    Fabric8Factory(List<BlockingJdkHttpClient> made) {
      this.made = made;
    }

    @Override
    protected HttpClient.Builder createNewHttpClientBuilder() {
      HttpClient.Builder stock = super.createNewHttpClientBuilder();
      return (HttpClient.Builder)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {HttpClient.Builder.class},
              (builder, method, args) -> {
                if (method.invoke(stock, args) instanceof HttpClient client) {
                  made.add(BlockingJdkHttpClient.wrap(client));
                  return made.getLast();
                }
                return builder;
              });
    }
  }
}
