package io.heddle.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.heddle.ahc.BlockingAhcClient;
import io.heddle.apache.BlockingHttpClients;
import io.heddle.jdk.BlockingJdkHttpClient;
import io.heddle.jetty.BlockingJettyClient;
import io.heddle.okhttp.BlockingOkHttpClient;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.BasicHttpClientResponseHandler;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.asynchttpclient.Dsl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * OpenTelemetry's Java agent over each client: a call has one client span, the caller's span is its
 * parent, and the server is told of it.
 */
class TracingTest {

  private static final Path AGENT = Path.of("target/agent/opentelemetry-javaagent.jar");

  private static final Pattern CLIENT_SPAN =
      Pattern.compile(
          "\"spanId\":\"(\\w+)\",(?:\"parentSpanId\":\"(\\w+)\",)?\"name\":\"\\w+\",\"kind\":3,");

  /** What {@link Calls} says. */
  private static final Pattern CALLER = Pattern.compile("(?m)^caller (\\w+) (\\w+)$");

  private static final Pattern TRACEPARENT = Pattern.compile("\\w+-\\w+-(\\w+)-\\w+");

  @Test
  void aCallHasOneSpanUnderItsCallers(@TempDir Path directory) throws Exception {
    assertTrue(Files.exists(AGENT), () -> AGENT + " is missing: the build copies it there");
    Map<String, List<String>> told = new ConcurrentHashMap<>();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          told.computeIfAbsent(exchange.getRequestURI().getPath(), path -> new ArrayList<>())
              .add(exchange.getRequestHeaders().getFirst("traceparent"));
          exchange.sendResponseHeaders(200, 5);
          exchange.getResponseBody().write(new byte[5]);
          exchange.close();
        });
    server.start();
    String said;
    try {
      said = calls(directory, "http://localhost:" + server.getAddress().getPort() + "/");
    } finally {
      server.stop(0);
    }
    Map<String, String> callers = new TreeMap<>();
    for (Matcher caller = CALLER.matcher(said); caller.find(); ) {
      callers.put(caller.group(1), caller.group(2));
    }
    assertEquals(Calls.CLIENTS.keySet(), callers.keySet(), said);
    Map<String, String> parents = new TreeMap<>();
    for (Matcher span = CLIENT_SPAN.matcher(said); span.find(); ) {
      parents.put(span.group(1), String.valueOf(span.group(2)));
    }
    assertEquals(callers.size(), parents.size(), said);
    callers.forEach(
        (client, caller) -> {
          List<String> once = told.get("/" + client);
          assertEquals(1, once.size(), client);
          Matcher span = TRACEPARENT.matcher(once.getFirst());
          assertTrue(span.matches(), client);
          assertEquals(caller, parents.get(span.group(1)), () -> client + ": " + said);
        });
  }

  /** What the JVM says that makes the calls. */
  private static String calls(Path directory, String url) throws Exception {
    Path log = directory.resolve("log");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-javaagent:" + AGENT,
                "-Dotel.traces.exporter=logging-otlp",
                "-Dotel.metrics.exporter=none",
                "-Dotel.logs.exporter=none",
                "-Dotel.javaagent.logging=simple",
                "-cp",
                System.getProperty("java.class.path"),
                Calls.class.getName(),
                url)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertTrue(process.waitFor(240, TimeUnit.SECONDS), () -> "does not end");
      assertEquals(0, process.exitValue(), Files.readString(log));
      return Files.readString(log);
    } finally {
      process.destroyForcibly();
    }
  }

  /** Runs in a JVM of its own, with the agent. */
  static final class Calls {

    interface Call {
      void to(String url) throws Exception;
    }

    static final Map<String, Call> CLIENTS =
        new TreeMap<>(
            Map.of(
                "apache",
                url -> {
                  try (CloseableHttpClient client = BlockingHttpClients.createDefault()) {
                    client.execute(new HttpGet(url), new BasicHttpClientResponseHandler());
                  }
                },
                "jersey",
                url -> {
                  try (Client client = ClientBuilder.newClient()) {
                    client.target(url).request().get(String.class);
                  }
                },
                "jetty",
                url -> {
                  BlockingJettyClient client = new BlockingJettyClient();
                  client.start();
                  client.GET(url);
                  client.stop();
                },
                // By the future: the agent ends no span of any other handler, with stock AHC too.
                "ahc",
                url -> {
                  try (BlockingAhcClient client = new BlockingAhcClient(Dsl.config().build())) {
                    client.prepareGet(url).execute().get();
                  }
                },
                "okhttp",
                url -> {
                  try (BlockingOkHttpClient client = BlockingOkHttpClient.wrap(new OkHttpClient());
                      Response response =
                          client
                              .newCall(new okhttp3.Request.Builder().url(url).build())
                              .execute()) {
                    response.body().bytes();
                  }
                },
                "jdk",
                url -> {
                  try (HttpClient client = BlockingJdkHttpClient.wrap(HttpClient.newHttpClient())) {
                    HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
                    client.send(request, BodyHandlers.ofString());
                  }
                }));

    private Calls() {}

    public static void main(String[] url) throws Exception {
      for (String client : CLIENTS.keySet()) {
        Thread.ofVirtual().start(() -> call(client, url[0] + client)).join();
      }
      System.exit(0); // which flushes the agent's exporter
    }

    private static void call(String client, String url) {
      Span span = GlobalOpenTelemetry.getTracer("test").spanBuilder("caller").startSpan();
      try (Scope scope = span.makeCurrent()) {
        Objects.requireNonNull(scope);
        CLIENTS.get(client).to(url);
        System.out.println("caller " + client + " " + span.getSpanContext().getSpanId());
      } catch (Exception e) {
        e.printStackTrace(System.out);
      } finally {
        span.end();
      }
    }
  }
}
