package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.RawServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Expect;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PipedOutputStream;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.asynchttpclient.AsyncHttpClient;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.ListenableFuture;
import org.asynchttpclient.Response;
import org.asynchttpclient.handler.BodyDeferringAsyncHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What goes wrong with bodies. */
@Timeout(120)
class StockBodiesTest extends StockDefects {

  // ---- bodies -------------------------------------------------------------------------------

  /** AHC reads on and on; what nobody takes is held in memory, or holds the event loop. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void serverIsNotHeldBack(Wire wire) throws Exception {
    assertMended(
        wire,
        (client, server) -> {
          URI uri = server.uri(Script.ok().body(200L << 20));
          AtomicInteger held = new AtomicInteger();
          AutoCloseable response;
          if (client instanceof BlockingAhcClient blocking) {
            response = blocking.stream(Dsl.get(uri.toString()).build());
          } else {
            response = unread(client, uri, held);
          }
          try (response) {
            Seen request = seen(server, uri);
            long sent = settled(request);
            String other = server.uri(Script.ok()).toString();
            ListenableFuture<Response> sibling = client.prepareGet(other).execute();
            assertTrue(sent < (24L << 20), "sent, and read by nobody: " + sent);
            assertTrue(isSoon(sibling::isDone), "another call goes on");
          }
        });
  }

  private static AutoCloseable unread(AsyncHttpClient client, URI uri, AtomicInteger held)
      throws Exception {
    PipedOutputStream out =
        new PipedOutputStream() {
          @Override
          public void write(byte[] b, int off, int len) {
            held.addAndGet(len); // as a queue without a bound does
          }
        };
    BodyDeferringAsyncHandler handler = new BodyDeferringAsyncHandler(out);
    ListenableFuture<Response> future = client.prepareGet(uri.toString()).execute(handler);
    handler.getResponse();
    return () -> future.cancel(true);
  }

  private static long settled(Seen request) throws InterruptedException {
    long last = -1;
    while (last != request.sentBytes()) {
      last = request.sentBytes();
      Thread.sleep(300);
    }
    return last;
  }

  /** The server says 413, reads no further, and closes the connection. */
  @Test
  void earlyAnswerIsLost() throws Exception {
    assertMended(
        Wire.HTTP_1_1,
        (client, server) -> {
          for (int i = 0; i < 10; i++) {
            try (RawServer refusing = RawServer.start(StockBodiesTest::refuse)) {
              Response response =
                  client
                      .preparePost(refusing.uri().toString())
                      .setBody(new ByteArrayInputStream(new byte[30 << 20]))
                      .execute()
                      .get();
              assertEquals(413, response.getStatusCode());
            } catch (ExecutionException e) {
              throw new AssertionError("the answer is lost", e);
            }
          }
        });
  }

  /** Says 413 to a head, takes no more than that, and closes. */
  private static void refuse(Socket socket) throws IOException {
    socket.getInputStream().readNBytes(1000);
    RawServer.write(socket, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
  }

  /** The request asks to continue. AHC sends a body of bytes with the head all the same. */
  @Test
  void bodyIsSentBeforeTheServerSaysContinue() throws Exception {
    assertMended(
        Wire.HTTP_1_1,
        (client, server) -> {
          URI uri = server.uri(Script.ok().expect(Expect.ACCEPT).delay(Duration.ofMillis(200)));
          client
              .preparePost(uri.toString())
              .setHeader("Expect", "100-continue")
              .setBody(new byte[100])
              .execute()
              .get();
          assertFalse(server.seen(uri).get(0).isBodyWithoutContinue(), "sent too early");
        });
  }

  /** The request asks to continue, and the server says nothing: AHC waits for ever. */
  @Test
  void bodyIsNeverSentIfTheServerDoesNotSayContinue() throws Exception {
    assertMended(
        Wire.HTTP_1_1,
        (client, server) -> {
          URI uri = server.uri(Script.ok().expect(Expect.IGNORE));
          ListenableFuture<Response> post =
              client
                  .preparePost(uri.toString())
                  .setHeader("Expect", "100-continue")
                  .setBody(new ByteArrayInputStream(new byte[100]))
                  .execute();
          try {
            assertEquals(200, post.get(4, TimeUnit.SECONDS).getStatusCode());
          } catch (TimeoutException e) {
            throw new AssertionError("the body is never sent", e);
          } finally {
            post.cancel(true);
          }
        });
  }
}
