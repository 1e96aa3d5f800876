package io.heddle.apache;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.classic.methods.HttpPut;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.EntityTemplate;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.io.IOCallback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Over HTTP/1.1 the last bytes of a long body end the request as they are written. What comes then,
 * while the entity has not returned, is what comes to a blocking client after it has.
 */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class LingeringEntityTest {

  private static final int LENGTH = 40_000;

  /** Enough for the server, and for what it sends. */
  private static void linger() throws IOException {
    try {
      Thread.sleep(800);
    } catch (InterruptedException e) {
      throw new InterruptedIOException();
    }
  }

  /** PUTs a body whose entity does something after its last byte; the length of the answer. */
  private static int put(URI uri, IOCallback<OutputStream> after) throws IOException {
    HttpPut put = new HttpPut(uri);
    put.setEntity(
        new EntityTemplate(
            LENGTH,
            ContentType.APPLICATION_OCTET_STREAM,
            null,
            to -> {
              to.write(new byte[LENGTH]);
              after.execute(to);
            }));
    try (CloseableHttpClient client = BlockingHttpClients.createDefault()) {
      return client.execute(
          put,
          response -> {
            assertEquals(200, response.getCode());
            return EntityUtils.toByteArray(response.getEntity()).length;
          });
    }
  }

  @Test
  void serverThatClosesWithoutAnAnswerIsAskedAgain() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      URI uri = server.uri(Script.ok().body(1).fault(Fault.CLOSE).once());
      int length =
          put(
              uri,
              to -> {
                linger();
                to.write(new byte[0]);
              });
      assertEquals(1, length);
      assertEquals(2, server.seen(uri).size(), "times sent");
    }
  }

  @Test
  void longAnswerIsHeldBack() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      int length = 2 * ResponseDemand.MOST_AHEAD;
      assertEquals(length, put(server.uri(Script.ok().body(length)), to -> linger()));
    }
  }

  @Test
  void writeOfNothingMayCome() throws Exception {
    AtomicBoolean cameBack = new AtomicBoolean();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      int length =
          put(
              server.uri(Script.ok().body(1)),
              to -> {
                linger();
                to.write(new byte[0]);
                to.flush();
                cameBack.set(true);
              });
      assertEquals(1, length);
    }
    assertTrue(cameBack.get());
  }

  /** A 200 that came before does not hide it. */
  @Test
  void bodyThatIsCutAfterAnEarlyAnswerFailsTheCall() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        CloseableHttpClient client = BlockingHttpClients.createDefault()) {
      Thread.ofPlatform().daemon().start(() -> answerAndReset(server));
      HttpPost post = new HttpPost("http://127.0.0.1:" + server.getLocalPort());
      post.setEntity(
          new EntityTemplate(
              -1,
              ContentType.TEXT_PLAIN,
              null,
              to -> {
                to.write(new byte[10]);
                to.flush();
                linger();
              }));
      assertThrows(IOException.class, () -> client.execute(post, response -> response.getCode()));
    }
  }

  private static void answerAndReset(ServerSocket server) {
    try (Socket socket = server.accept()) {
      socket.setSoLinger(true, 0);
      assertTrue(socket.getInputStream().read() >= 0);
      socket
          .getOutputStream()
          .write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(US_ASCII));
      Thread.sleep(200); // until the client has it
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
