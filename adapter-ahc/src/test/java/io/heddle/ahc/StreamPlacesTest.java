package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Request;
import org.asynchttpclient.RequestBuilder;
import org.asynchttpclient.request.body.generator.InputStreamBodyGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A call keeps its place among the streams that the server allows until its stream is over. Its
 * place was seen to pass on before: the next call's stream was one too many, and refused.
 */
@Timeout(120)
class StreamPlacesTest {

  private static final int STREAMS = 3;

  private final FaultServer server = FaultServer.start(Wire.H2C);
  private final BlockingAhcClient client =
      new BlockingAhcClient(
          Dsl.config()
              .setHttp2CleartextEnabled(true)
              .setReadTimeout(Duration.ofSeconds(60))
              .setRequestTimeout(Duration.ofSeconds(60))
              .build());

  @BeforeEach
  void start() throws Exception {
    server.maxStreams(STREAMS);
    assertEquals(200, client.execute(get()).getStatusCode());
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private Request get() {
    return Dsl.get(server.uri(Script.ok()).toString()).build();
  }

  /** Its body can be read once, so that it cannot go again. */
  private Request upload(Script script, int bytes) {
    return new RequestBuilder("POST")
        .setUrl(server.uri(script).toString())
        .setBody(new InputStreamBodyGenerator(new ByteArrayInputStream(new byte[bytes]), bytes))
        .build();
  }

  /** Every other call is given up somewhere, or answered before its body is there. */
  @Test
  void callsThatAreGivenUpHarmNoSibling() throws Exception {
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        all.add(callers.submit(this::callAndGiveUp));
      }
      for (Future<?> each : all) {
        each.get();
      }
    }
    assertEquals(1, server.connectionsAccepted());
  }

  private @Nullable Void callAndGiveUp() throws Exception {
    for (int i = 0; i < 15; i++) {
      assertEquals(200, client.execute(upload(Script.ok().body(1000), 20_000)).getStatusCode());
      Script script = i % 2 == 0 ? Script.ok().early() : Script.ok();
      client.stream(upload(script.body(200_000), 100_000)).close();
      assertEquals(200, client.execute(upload(Script.ok().early(), 100_000)).getStatusCode());
    }
    return null;
  }
}
