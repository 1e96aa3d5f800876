package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.ByteArrayInputStream;
import java.net.URI;
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

  /**
   * A call leaves the stream that was redirected and asks for the next one at once, while the codec
   * still counts the first. The next was seen to be refused by the codec, where the server allowed
   * no more, and AHC to tell that its buffer was gone.
   */
  @Test
  void redirectedCallsHaveOnePlace() throws Exception {
    try (BlockingAhcClient once =
            new BlockingAhcClient(
                Dsl.config()
                    .setHttp2CleartextEnabled(true)
                    .setFollowRedirect(true)
                    .setMaxRequestRetry(0)
                    .build());
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      assertEquals(200, once.execute(get()).getStatusCode());
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 2 * STREAMS; i++) {
        all.add(callers.submit(() -> callThatIsRedirected(once)));
      }
      for (Future<?> each : all) {
        each.get();
      }
    }
    assertEquals(2, server.connectionsAccepted()); // one of each client
  }

  private @Nullable Void callThatIsRedirected(BlockingAhcClient by) throws Exception {
    for (int i = 0; i < 30; i++) {
      URI target = server.uri(Script.ok());
      Script redirect =
          Script.answer(307).header("Location", target.toString()).body((i % 2) * 20_000L);
      Request post = Dsl.post(server.uri(redirect).toString()).setBody(new byte[100]).build();
      assertEquals(200, by.execute(post).getStatusCode());
      assertEquals(1, server.seen(target).size(), "times sent");
    }
    return null;
  }
}
