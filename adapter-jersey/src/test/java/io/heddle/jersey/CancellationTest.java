package io.heddle.jersey;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import jakarta.ws.rs.ProcessingException;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import jakarta.ws.rs.client.Invocation;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One future for all calls of a component: it kept each of them for as long as it lived. */
@Timeout(60)
class CancellationTest {

  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private final FaultServer server = FaultServer.start(Wire.HTTP_1_1);
  private final Client client = ClientBuilder.newClient();

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private Invocation.Builder call(URI uri) {
    return client.target(uri).request().property(HeddleConnectorProvider.CANCELLATION, stopped);
  }

  @Test
  void theFutureKeepsNoCallThatIsOver() {
    for (int i = 0; i < 10; i++) {
      call(server.uri(Script.ok())).get().close();
    }
    assertEquals(1, stopped.getNumberOfDependents(), "dependents of the future");
  }

  /** Nobody but its body knows of the call any more. */
  @Test
  void aBodyThatIsBeingReadIsCancelled() throws IOException {
    Script stalls = Script.ok().body(10_000).fault(Fault.STALL, 1000);
    try (Response response = call(server.uri(stalls)).get();
        InputStream body = response.readEntity(InputStream.class)) {
      assertEquals(1000, body.readNBytes(1000).length);
      System.gc();
      Thread.ofVirtual().start(() -> stopped.complete(null));
      assertThrows(IOException.class, body::readAllBytes);
    }
  }

  @Test
  void eachCallIsCancelledAndEachThatComesLater() throws Exception {
    URI stalled = server.uri(Script.ok().fault(Fault.STALL));
    List<Future<Response>> calls =
        List.of(call(stalled).async().get(), call(stalled).async().get());
    while (server.seen(stalled).size() < 2) {
      Thread.sleep(2);
    }
    stopped.complete(null);
    for (Future<Response> each : calls) {
      assertThrows(ExecutionException.class, () -> each.get(20, TimeUnit.SECONDS));
    }
    URI later = server.uri(Script.ok());
    assertThrows(ProcessingException.class, () -> call(later).get());
    assertTrue(server.seen(later).isEmpty());
  }

  /** {@code isDone} of such a stage throws, and each {@code toCompletableFuture} is another one. */
  @Test
  void aStageThatCannotBeAskedWillDo() {
    URI uri = server.uri(Script.ok());
    CompletionStage<Void> stage = stopped.minimalCompletionStage();
    Invocation.Builder call =
        client.target(uri).request().property(HeddleConnectorProvider.CANCELLATION, stage);
    call.get().close();
    call.get().close();
    stopped.complete(null);
    assertThrows(ProcessingException.class, call::get);
    assertEquals(2, server.seen(uri).size());
  }

  @Test
  void aValueThatIsNoneIsRefused() {
    URI uri = server.uri(Script.ok());
    Invocation.Builder call =
        client.target(uri).request().property(HeddleConnectorProvider.CANCELLATION, "now");
    Throwable failure = assertThrows(ProcessingException.class, call::get).getCause();
    assertEquals(
        "io.heddle.jersey.cancellation must be a CompletionStage, but is now, a java.lang.String",
        String.valueOf(failure == null ? null : failure.getMessage()));
    assertTrue(server.seen(uri).isEmpty());
  }
}
