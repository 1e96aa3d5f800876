package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.RawServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import io.netty.channel.Channel;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.ListenableFuture;
import org.asynchttpclient.Request;
import org.asynchttpclient.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which requests are sent again when their connection ends, or refuses them. */
@Timeout(60)
class SentAgainTest {

  private static final byte[] ONE_STREAM = {0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1};
  private static final byte[] REDIRECT = {
    0, 0, 10, 1, 4, 0, 0, 0, 0, 8, 3, '3', '0', '7', 15, 31, 2, '/', 't'
  };
  private static final byte[] SEE_OTHER = { // and the stream's end
    0, 0, 10, 1, 5, 0, 0, 0, 0, 8, 3, '3', '0', '3', 15, 31, 2, '/', 't'
  };
  private static final byte[] REDIRECT_AND_GO_AWAY = { // gracefully: no stream is beyond the last
    0, 0, 10, 1, 4, 0, 0, 0, 0, 8, 3, '3', '0', '7', 15, 31, 2, '/', 't', 0, 0, 8, 7, 0, 0, 0, 0, 0,
    127, -1, -1, -1, 0, 0, 0, 0
  };
  private static final byte[] OK = {0, 0, 1, 1, 5, 0, 0, 0, 0, (byte) 0x88};

  private static BlockingAhcClient client() {
    return new BlockingAhcClient(Dsl.config().setHttp2CleartextEnabled(true).build());
  }

  /** The server has said that it did not look at it: even a POST goes to the next connection. */
  @Test
  void postBeyondTheLastStream() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client()) {
      client.execute(Dsl.get(server.uri(Script.ok()).toString()).build());
      URI uri = server.uri(Script.ok().fault(Fault.GOAWAY).once());
      Request post = Dsl.post(uri.toString()).setBody(new byte[100]).build();
      assertEquals(200, client.execute(post).getStatusCode());
      assertEquals(2, server.connectionsAccepted());
    }
  }

  /** Who shares a connection that was in use has been heard, and is not sent again. */
  @Test
  void siblingsOfALostConnectionAreNot() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client()) {
      List<URI> uris = new ArrayList<>();
      List<ListenableFuture<Response>> futures = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        URI uri = server.uri(Script.ok().fault(Fault.STALL));
        uris.add(uri);
        futures.add(client.prepare(i == 0 ? "POST" : "GET", uri.toString()).execute());
      }
      for (URI each : uris) {
        while (server.seen(each).isEmpty()) {
          Thread.sleep(5);
        }
      }
      server.closeConnections();
      for (ListenableFuture<Response> each : futures) {
        assertThrows(ExecutionException.class, () -> each.get(10, TimeUnit.SECONDS));
      }
      assertTrue(uris.stream().allMatch(each -> server.seen(each).size() == 1), "sent once");
    }
  }

  /** What the first server has answered is not begun anew because the second has refused it. */
  @ParameterizedTest
  @EnumSource(names = {"STREAM_REFUSED", "GOAWAY"})
  void redirectedPostIsNotBegunAnew(Fault refusal) throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client()) {
      client.execute(Dsl.get(server.uri(Script.ok()).toString()).build());
      URI target = server.uri(Script.ok().fault(refusal).once());
      URI uri = server.uri(Script.answer(307).header("Location", target.toString()));
      Request post =
          Dsl.post(uri.toString()).setBody(new byte[100]).setFollowRedirect(true).build();
      assertEquals(200, client.execute(post).getStatusCode());
      assertEquals(1, server.seen(uri).size(), "times sent");
      assertEquals(100, server.seen(target).get(1).bodyBytes());
    }
  }

  /** Nor where it was a redirect to a GET, and the body cannot be read again. */
  @Test
  void getThatAPostOfAStreamWasRedirectedTo() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client()) {
      URI target = server.uri(Script.ok().fault(Fault.STREAM_REFUSED).once());
      URI uri = server.uri(Script.answer(303).header("Location", target.toString()));
      Request post =
          Dsl.post(uri.toString())
              .setBody(new ByteArrayInputStream(new byte[100]))
              .setFollowRedirect(true)
              .build();
      assertEquals(200, client.execute(post).getStatusCode());
      assertEquals(1, server.seen(uri).size(), "times sent");
      assertEquals("GET", server.seen(target).get(1).method());
    }
  }

  /**
   * The server allows one stream, answers with a redirect, and resets the connection: the second
   * request has waited for the stream of the first, and never goes out. The first was answered.
   */
  @Test
  void postThatWasRedirectedBeforeTheEnd() throws Exception {
    Path file = Files.createTempFile("heddle", "body");
    Files.write(file, new byte[10]);
    AtomicInteger requests = new AtomicInteger();
    try (RawServer server = RawServer.start(socket -> redirectAndReset(socket, requests));
        BlockingAhcClient client = client()) {
      for (int i = 1; i <= 20; i++) {
        Request post =
            Dsl.post(server.uri().toString())
                .setBody(file.toFile())
                .setFollowRedirect(true)
                .build();
        assertThrows(IOException.class, () -> client.execute(post));
        assertEquals(i, requests.get(), "requests sent");
      }
    } finally {
      Files.delete(file);
    }
  }

  private static void redirectAndReset(Socket socket, AtomicInteger requests) throws IOException {
    socket.setSoLinger(true, 0);
    byte[] redirect = onStream(greet(socket), REDIRECT);
    requests.incrementAndGet();
    socket.getOutputStream().write(redirect);
  }

  /** GOAWAY comes with the redirect: what that leads to goes to the next connection. */
  @Test
  void postThatWasRedirectedAsTheServerLeaves() throws Exception {
    AtomicInteger connections = new AtomicInteger();
    try (RawServer server =
            RawServer.start(
                socket -> {
                  boolean first = connections.incrementAndGet() == 1;
                  DataInputStream in = greet(socket);
                  byte[] answer = onStream(in, first ? REDIRECT_AND_GO_AWAY : OK);
                  socket.getOutputStream().write(answer);
                  RawServer.readToEnd(in);
                });
        BlockingAhcClient client = client()) {
      Request post =
          Dsl.post(server.uri().toString())
              .setBody(new byte[10])
              .setFollowRedirect(true)
              .setRequestTimeout(Duration.ofSeconds(5))
              .build();
      assertEquals(200, client.execute(post).getStatusCode());
      assertEquals(2, server.accepted(), "connections");
    }
  }

  /**
   * The server answers with a redirect, its stream's end with it, and takes no more of a body that
   * is longer than the window. It allows one stream, which the client has to end.
   */
  @Test
  void postThatWasRedirectedBeforeItsBodyWasTaken() throws Exception {
    try (RawServer server =
            RawServer.start(
                socket -> {
                  DataInputStream in = greet(socket);
                  for (; ; ) {
                    Frame head = Frame.read(in);
                    if (head.type() == Frame.HEADERS) {
                      byte[] answer = head.isLast() ? OK : SEE_OTHER;
                      socket.getOutputStream().write(head.answered(answer));
                    }
                  }
                });
        BlockingAhcClient client = client()) {
      for (int i = 0; i < 5; i++) {
        Request post =
            Dsl.post(server.uri().toString())
                .setBody(new byte[100_000])
                .setFollowRedirect(true)
                .setRequestTimeout(Duration.ofSeconds(20))
                .build();
        assertEquals(200, client.execute(post).getStatusCode());
      }
      assertEquals(1, server.accepted(), "connections");
    }
  }

  private static DataInputStream greet(Socket client) throws IOException {
    client.setTcpNoDelay(true); // each write goes out at once
    client.getOutputStream().write(ONE_STREAM);
    DataInputStream in = new DataInputStream(client.getInputStream());
    in.skipNBytes(24); // the preface
    return in;
  }

  /** Reads a request to its end; an answer on its stream. */
  private static byte[] onStream(DataInputStream in, byte[] answer) throws IOException {
    for (; ; ) {
      Frame frame = Frame.read(in);
      if (frame.type() == Frame.DATA && frame.isLast()) {
        return frame.answered(answer);
      }
    }
  }

  /** What the client has sent, but for its payload. */
  private record Frame(int type, int flags, int stream) {

    static final int DATA = 0;
    static final int HEADERS = 1;

    static Frame read(DataInputStream in) throws IOException {
      int lengthAndType = in.readInt();
      Frame frame = new Frame(lengthAndType & 0xFF, in.readByte(), in.readInt());
      in.skipNBytes(lengthAndType >>> 8);
      return frame;
    }

    boolean isLast() {
      return (flags & 1) != 0;
    }

    byte[] answered(byte[] answer) {
      byte[] frame = answer.clone();
      frame[8] = (byte) stream;
      return frame;
    }
  }

  /**
   * Over HTTP/1.1 the event loop finds that a pooled connection has ended before it comes to a head
   * that the caller has handed to it: that was never sent, and even a POST goes again.
   */
  @Test
  @SuppressWarnings("FutureReturnValueIgnored") // the event loop does it at once
  void postThatNeverLeft() throws Exception {
    BlockingQueue<Channel> connections = new LinkedBlockingQueue<>();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingAhcClient client =
            new BlockingAhcClient(
                Dsl.config().setHttpAdditionalChannelInitializer(connections::add).build())) {
      client.execute(Dsl.get(server.uri(Script.ok()).toString()).build());
      Channel connection = connections.take();
      HeldLoop loop = new HeldLoop(connection.eventLoop(), connection::close);
      URI uri = server.uri(Script.ok());
      Request post = Dsl.post(uri.toString()).setBody(new byte[100]).build();
      FutureTask<Integer> call = new FutureTask<>(() -> client.execute(post).getStatusCode());
      Thread.ofVirtual().start(call);
      loop.awaitTasks(1);
      loop.goOn();
      assertEquals(200, call.get());
      assertEquals(1, server.seen(uri).size(), "times sent");
    }
  }
}
