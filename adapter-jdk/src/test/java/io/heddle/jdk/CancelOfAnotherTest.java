package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A call is cancelled as its response ends. The JDK looks whether it has ended, and then closes the
 * connection ({@code Http1Exchange.cancelImpl}): in between that goes back to the pool, and to
 * another call. That was seen once in 30,000 calls of a soak, and is told here as it was there.
 */
@Timeout(60)
class CancelOfAnotherTest {

  @Test
  void whoHasItsConnectionGoesAgain() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        Unlucky unlucky = new Unlucky(stock(Wire.HTTP_1_1).build());
        BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(unlucky)) {
      URI uri = server.uri(Script.ok().body(100));
      client.send(request(uri).build(), BodyHandlers.discarding()); // the origin has answered

      unlucky.next = true;
      assertEquals(200, client.send(request(uri).build(), BodyHandlers.discarding()).statusCode());

      unlucky.next = true;
      HttpRequest post = request(uri).POST(BodyPublishers.ofByteArray(new byte[1])).build();
      assertThrows(IOException.class, () -> client.send(post, BodyHandlers.discarding()));
    }
  }

  /** Its next connection is closed by the cancel of another call. */
  private static final class Unlucky extends ForwardingClient {
    private boolean next;

    Unlucky(HttpClient client) {
      super(client);
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
        throws IOException, InterruptedException {
      if (next) {
        next = false;
        String received = "HTTP/1.1 header parser received no bytes";
        IOException here =
            new IOException("connection closed locally", new IOException("Request cancelled"));
        throw new IOException(received, new IOException(received, here));
      }
      return super.send(request, handler);
    }
  }
}
