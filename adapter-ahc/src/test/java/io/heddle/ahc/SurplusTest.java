package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import org.asynchttpclient.AsyncCompletionHandler;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.ListenableFuture;
import org.asynchttpclient.Response;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A second response came with the first. The connection went into AHC's pool at the end of the
 * first, before the second was looked at: the next call could have it, and got the answer to
 * nobody, or an end of the connection that was none of the server's doing.
 */
@Timeout(60)
class SurplusTest {

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "HTTP_1_1_TLS"})
  void theNextCallHasAnotherConnection(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        BlockingAhcClient client =
            new BlockingAhcClient(
                Dsl.config().setUseInsecureTrustManager(true).setHttp2Enabled(false).build())) {
      URI next = server.uri(Script.ok().body(100));
      CompletableFuture<CompletableFuture<Response>> second = new CompletableFuture<>();
      ListenableFuture<Response> first =
          client
              .prepareGet(server.uri(Script.ok().body(1000).surplus()).toString())
              .execute(
                  new AsyncCompletionHandler<Response>() {
                    @Override
                    public Response onCompleted(Response response) { // at once, on the event loop
                      second.complete(
                          client.prepareGet(next.toString()).execute().toCompletableFuture());
                      return response;
                    }
                  });
      assertEquals(1000, first.get().getResponseBodyAsBytes().length);
      Response response = second.get().get();
      assertEquals(100, response.getResponseBodyAsBytes().length);
      assertEquals(1, server.seen(next).size(), "times sent");
      assertEquals(2, server.connectionsAccepted());
    }
  }
}
