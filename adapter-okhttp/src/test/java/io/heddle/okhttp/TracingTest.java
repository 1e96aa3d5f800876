package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.instrumentation.okhttp.v3_0.OkHttpTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * OpenTelemetry over our clients: a call has one client span, the caller's span is its parent, and
 * the server is told of it.
 */
class TracingTest {

  /** Seconds that the agent's JVM may take, on a machine that is busy with other tests. */
  private static final int SECONDS = 120;

  private static final Pattern CLIENT_SPAN =
      Pattern.compile(
          "\"spanId\":\"(\\w+)\",(?:\"parentSpanId\":\"(\\w+)\",)?\"name\":\"\\w+\",\"kind\":3,");

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  @Timeout(60)
  void withTheLibrarysInstrumentation(Wire wire) throws Exception {
    InMemorySpanExporter spans = InMemorySpanExporter.create();
    try (FaultServer server = FaultServer.start(wire);
        SdkTracerProvider provider =
            SdkTracerProvider.builder()
                .addSpanProcessor(SimpleSpanProcessor.create(spans))
                .build()) {
      OpenTelemetrySdk telemetry =
          OpenTelemetrySdk.builder()
              .setTracerProvider(provider)
              .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
              .build();
      Tracer tracer = telemetry.getTracer("test");
      for (OkHttpClient client : TracedCalls.clients(wire)) {
        Call.Factory traced = OkHttpTelemetry.create(telemetry).createCallFactory(client);
        for (Thread.Builder kind : TracedCalls.threads()) {
          spans.reset();
          URI uri = server.uri(Script.ok().body(100_000));
          Object parent =
              new Caller(kind, () -> TracedCalls.call(tracer, traced, uri.toString())).result();
          List<SpanData> ofClient = new ArrayList<>(spans.getFinishedSpanItems());
          ofClient.removeIf(each -> each.getKind() != SpanKind.CLIENT);
          assertEquals(1, ofClient.size());
          assertEquals(parent, ofClient.get(0).getParentSpanId());
          assertTold(server, uri, ofClient.get(0).getSpanId());
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  @Timeout(SECONDS)
  void withTheJavaAgent(Wire wire, @TempDir Path directory) throws Exception {
    Path log = directory.resolve("log");
    List<String> uris = new ArrayList<>();
    try (FaultServer server = FaultServer.start(wire)) {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.add("-XX:TieredStopAtLevel=1");
      command.add("-XX:+UseSerialGC");
      command.add("-javaagent:" + agent());
      for (String setting :
          List.of(
              "traces.exporter=logging-otlp",
              "metrics.exporter=none",
              "logs.exporter=none",
              "javaagent.logging=simple")) {
        command.add("-Dotel." + setting);
      }
      command.addAll(List.of("-cp", System.getProperty("java.class.path")));
      command.addAll(List.of(TracedCalls.class.getName(), wire.name()));
      for (int call = 0; call < TracedCalls.CALLS; call++) {
        uris.add(server.uri(Script.ok().body(100_000)).toString());
      }
      command.addAll(uris);
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      try {
        assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS));
      } finally {
        process.destroyForcibly();
      }
      String said = Files.readString(log);
      assertEquals(0, process.exitValue(), said);
      List<String> ids = new ArrayList<>();
      List<String> parents = new ArrayList<>();
      for (Matcher span = CLIENT_SPAN.matcher(said); span.find(); ) {
        ids.add(span.group(1));
        parents.add(Objects.requireNonNullElse(span.group(2), "none"));
      }
      List<String> callers =
          said.lines()
              .filter(line -> line.startsWith(TracedCalls.CALLER))
              .map(line -> line.substring(TracedCalls.CALLER.length()))
              .toList();
      assertEquals(TracedCalls.CALLS, callers.size(), said);
      assertEquals(callers, parents, said); // one each, in their order
      for (int call = 0; call < TracedCalls.CALLS; call++) {
        assertTold(server, URI.create(uris.get(call)), ids.get(call));
      }
    }
  }

  private static String agent() {
    Path classes =
        Path.of(TracingTest.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    File agent = classes.resolveSibling("agent").resolve("opentelemetry-javaagent.jar").toFile();
    assertTrue(agent.isFile(), () -> agent + " is missing: the build copies it there");
    return agent.toString();
  }

  private static void assertTold(FaultServer server, URI uri, String span) {
    List<Seen> seen = server.seen(uri);
    assertEquals(1, seen.size());
    String told = Objects.requireNonNull(seen.get(0).header("traceparent"));
    assertEquals(span, told.split("-", -1)[2]);
  }

  /** In a JVM of its own, with the agent: calls to the URLs that it is given. */
  static final class TracedCalls {

    static final String CALLER = "caller's span: ";

    /** Clients times kinds of threads. */
    static final int CALLS = 2 * 2;

    private TracedCalls() {}

    static List<OkHttpClient> clients(Wire wire) {
      OkHttpClient stock = new OkHttpClient.Builder().protocols(KitClient.protocols(wire)).build();
      OkHttpClient ours = BlockingOkHttpClient.wrap(stock);
      return List.of(
          ours, ours.newBuilder().addInterceptor(chain -> chain.proceed(chain.request())).build());
    }

    static List<Thread.Builder> threads() {
      return List.of(Thread.ofVirtual(), Thread.ofPlatform());
    }

    /**
     * Makes a call within a span.
     *
     * @return the id of the span
     */
    static String call(Tracer tracer, Call.Factory client, String uri) throws IOException {
      Span span = tracer.spanBuilder("caller").startSpan();
      try (Scope scope = span.makeCurrent()) {
        Objects.requireNonNull(scope);
        assertEquals(100_000, AbandonedCallsTest.whole(client, URI.create(uri)));
        assertEquals(span, Span.current());
      } finally {
        span.end();
      }
      return span.getSpanContext().getSpanId();
    }

    public static void main(String[] arguments) throws Exception {
      Tracer tracer = GlobalOpenTelemetry.getTracer("test");
      int call = 1;
      for (OkHttpClient client : clients(Wire.valueOf(arguments[0]))) {
        for (Thread.Builder kind : threads()) {
          String uri = arguments[call++];
          System.out.println(CALLER + new Caller(kind, () -> call(tracer, client, uri)).result());
        }
      }
    }
  }
}
