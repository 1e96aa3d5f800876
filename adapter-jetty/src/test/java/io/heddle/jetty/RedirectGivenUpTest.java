package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.RawServer;
import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.HttpResponseException;
import org.eclipse.jetty.client.InputStreamResponseListener;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A redirect comes that Jetty was to follow, and does not: the time of the call is over, and
 * Jetty's timer is late; or it is one too many. Jetty tells the redirect first, then that it
 * failed. Nobody is to take that for an answer.
 */
@Timeout(60)
class RedirectGivenUpTest {

  private static final String REDIRECT =
      "HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n";

  /** Whose timeouts come when nobody asks any more. */
  private static final class LateScheduler extends ScheduledExecutorScheduler {
    @Override
    public Task schedule(Runnable task, long delay, TimeUnit unit) {
      return super.schedule(task, delay + unit.convert(1, TimeUnit.HOURS), unit);
    }
  }

  private volatile String answer = REDIRECT;
  private RawServer server;
  private HttpClient client = new HttpClient();

  @BeforeEach
  void start() throws Exception {
    server = RawServer.start(this::serve);
  }

  @AfterEach
  void stop() throws Exception {
    client.stop();
    server.close();
  }

  private void serve(Socket socket) throws IOException, InterruptedException {
    RawServer.readHead(socket.getInputStream()); // from then on the call has 200 ms
    Thread.sleep(400);
    RawServer.write(socket, answer);
    RawServer.readToEnd(socket.getInputStream());
  }

  private Request request(HttpClient of) throws Exception {
    client = of;
    client.setScheduler(new LateScheduler());
    client.start();
    return client.newRequest(server.uri());
  }

  private Request late(HttpClient of) throws Exception {
    return request(of).timeout(200, TimeUnit.MILLISECONDS);
  }

  private Request unfollowed(HttpClient of) throws Exception {
    of.setMaxRedirects(0);
    return request(of);
  }

  @Test
  void stockAnswersWithTheRedirect() throws Exception {
    InputStreamResponseListener listener = new InputStreamResponseListener();
    late(new HttpClient()).send(listener);
    assertEquals(302, listener.get(20, TimeUnit.SECONDS).getStatus());
  }

  @Test
  void theCallIsOver() throws Exception {
    BlockingResponseListener listener = new BlockingResponseListener();
    late(new BlockingJettyClient()).send(listener);
    listener.await(20, TimeUnit.SECONDS); // asked later than it was told
    ExecutionException over =
        assertThrows(ExecutionException.class, () -> listener.get(1, TimeUnit.SECONDS));
    assertInstanceOf(TimeoutException.class, over.getCause());
  }

  @Test
  void stockAnswersWithOneTooMany() throws Exception {
    InputStreamResponseListener listener = new InputStreamResponseListener();
    unfollowed(new HttpClient()).send(listener);
    assertEquals(302, listener.get(20, TimeUnit.SECONDS).getStatus());
  }

  @Test
  void oneTooManyIsNoAnswer() throws Exception {
    BlockingResponseListener listener = new BlockingResponseListener();
    unfollowed(new BlockingJettyClient()).send(listener);
    ExecutionException failed =
        assertThrows(ExecutionException.class, () -> listener.get(20, TimeUnit.SECONDS));
    assertInstanceOf(HttpResponseException.class, failed.getCause());
  }

  /** As resumable uploads are told to go on; stock answers so, too. */
  @Test
  void oneToNowhereIsAnAnswer() throws Exception {
    answer = "HTTP/1.1 308 Resume Incomplete\r\nRange: bytes=0-9\r\nContent-Length: 0\r\n\r\n";
    InputStreamResponseListener theirs = new InputStreamResponseListener();
    request(new HttpClient()).send(theirs);
    assertEquals(308, theirs.get(20, TimeUnit.SECONDS).getStatus());
    client.stop();
    BlockingResponseListener ours = new BlockingResponseListener();
    request(new BlockingJettyClient()).send(ours);
    assertEquals("bytes=0-9", ours.get(20, TimeUnit.SECONDS).getHeaders().get("Range"));
  }

  /** Its body has not come when it is told. */
  @Test
  void oneThatNobodyIsToFollowIsAnAnswer() throws Exception {
    answer = "HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 10\r\n\r\n";
    BlockingResponseListener listener = new BlockingResponseListener();
    Request request = request(new BlockingJettyClient());
    client.getProtocolHandlers().clear();
    request.send(listener);
    assertEquals(302, listener.get(20, TimeUnit.SECONDS).getStatus());
  }
}
