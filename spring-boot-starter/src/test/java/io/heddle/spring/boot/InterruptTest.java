package io.heddle.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.URI;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.eclipse.jetty.client.HttpClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.JettyClientHttpRequestFactory;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

/** A call that is interrupted gives its connection back at once, whatever the client. */
@Timeout(60)
class InterruptTest {

  private static final HttpClientSettings LONG =
      HttpClientSettings.defaults().withReadTimeout(java.time.Duration.ofSeconds(50));

  private static final Script SILENCE = Script.ok().fault(Fault.STALL);
  private static final Script HALF_A_BODY = Script.ok().body(1000).fault(Fault.STALL, 500);

  static Stream<Arguments> calls() {
    return Stream.of("Apache", "Jetty", "JDK")
        .flatMap(
            client -> Stream.of(Arguments.of(client, SILENCE), Arguments.of(client, HALF_A_BODY)));
  }

  private static ClientHttpRequestFactoryBuilder<?> builder(String client) {
    return switch (client) {
      case "Apache" -> ApacheRequestFactoryBuilder.create();
      case "Jetty" -> JettyRequestFactoryBuilder.create();
      default -> JdkRequestFactoryBuilder.create();
    };
  }

  @ParameterizedTest
  @MethodSource("calls")
  void endsTheCall(String client, Script script) throws Exception {
    ClientHttpRequestFactoryBuilder<?> builder = builder(client);
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      Interrupted call = Interrupted.call(builder.build(LONG), server, script);

      assertInstanceOf(RestClientException.class, call.thrown.get());
      assertTrue(call.flagKept.get(), "the flag is kept");
      Waiting.until("the server hears of it", () -> server.seen(call.uri).getFirst().isAborted());
    } finally {
      ((AutoCloseable) builder).close();
    }
  }

  /** Why Heddle has a request factory of its own for Jetty. */
  @Test
  void throughSpringsFactoryForJettyTheCallGoesOn() throws Exception {
    AtomicReference<HttpClient> client = new AtomicReference<>();
    JettyClientHttpRequestFactory stock =
        ClientHttpRequestFactoryBuilder.jetty().withHttpClientCustomizer(client::set).build(LONG);
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      Interrupted call = Interrupted.call(stock, server, SILENCE);

      assertNotNull(call.thrown.get());
      Thread.sleep(1000); // time in which it could end
      assertFalse(server.seen(call.uri).getFirst().isAborted());
    } finally {
      Objects.requireNonNull(client.get()).stop();
    }
  }

  /** A call on a virtual thread, interrupted once the server stalls it. */
  private record Interrupted(URI uri, AtomicReference<Throwable> thrown, AtomicBoolean flagKept) {

    static Interrupted call(ClientHttpRequestFactory factory, FaultServer server, Script script)
        throws InterruptedException, IOException {
      RestClient client = RestClient.builder().requestFactory(factory).build();
      Interrupted call =
          new Interrupted(server.uri(script), new AtomicReference<>(), new AtomicBoolean());
      Thread caller = Thread.startVirtualThread(() -> call.run(client));
      Waiting.until(
          "the server stalls",
          () -> !server.seen(call.uri).isEmpty() && server.seen(call.uri).getFirst().isStalled());
      caller.interrupt();
      assertTrue(caller.join(java.time.Duration.ofSeconds(20)), "the caller ends");
      return call;
    }

    private void run(RestClient client) {
      try {
        assertEquals("", client.get().uri(uri).retrieve().body(String.class));
      } catch (Throwable e) {
        thrown.set(e);
        flagKept.set(Thread.currentThread().isInterrupted());
      }
    }
  }
}
