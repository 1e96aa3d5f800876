package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.SettingsFrame;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What {@link JettyInternals} knows is so: each test asks Jetty's own client. One that fails after
 * an upgrade names the method to look at.
 */
@Timeout(60)
class JettyInternalsTest {

  /** What a server does with a connection of its own. */
  private interface Play {
    void on(Socket socket) throws IOException;
  }

  /** What is done with a session before it is to give a stream. */
  private interface OnSession {
    void on(Session session, URI uri) throws Exception;
  }

  private static HttpClient stock(Wire wire) throws Exception {
    HttpClient client = new HttpClient(JettyClient.transport(wire));
    client.setSslContextFactory(new SslContextFactory.Client(true)); // trusts all
    client.start();
    return client;
  }

  private static Throwable cause(Executable call) {
    return Objects.requireNonNull(assertThrows(ExecutionException.class, call).getCause());
  }

  private static Throwable failure(HttpClient client, URI uri) {
    return cause(() -> client.newRequest(uri).timeout(30, TimeUnit.SECONDS).send());
  }

  /** What becomes of a GET to a server that does this with each connection. */
  private static Throwable failure(Wire wire, Play play) throws Exception {
    HttpClient client = stock(wire);
    try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual().start(() -> serve(server, play));
      return failure(
          client, URI.create(wire.scheme() + "://127.0.0.1:" + server.getLocalPort() + "/"));
    } finally {
      client.stop();
    }
  }

  private static void serve(ServerSocket server, Play play) {
    try {
      for (; ; ) {
        try (Socket socket = server.accept()) {
          play.on(socket);
        }
      }
    } catch (IOException e) {
      return; // the test is over
    }
  }

  private static void assertHolds(boolean is, Throwable failure) {
    assertTrue(is, failure::toString);
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void aTotalTimeoutIsItsConnections(Wire wire) throws Exception {
    HttpClient client = stock(wire);
    try (FaultServer server = FaultServer.start(wire)) {
      client.GET(server.uri(Script.ok())); // there is a connection: else it is over in the queue
      CompletableFuture<Throwable> failed = new CompletableFuture<>();
      client
          .newRequest(server.uri(Script.ok().fault(Fault.STALL)))
          .timeout(1, TimeUnit.SECONDS)
          .send(result -> failed.complete(result.getFailure()));
      Throwable failure = failed.get(10, TimeUnit.SECONDS);
      assertHolds(JettyInternals.isTotalTimeout(failure), failure);
    } finally {
      client.stop();
    }
  }

  @Test
  void refusedStream() throws Exception {
    HttpClient client = stock(Wire.H2C);
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      Throwable refusal =
          failure(client, server.uri(Script.ok().fault(Fault.STREAM_REFUSED).times(10)));
      assertHolds(JettyInternals.isRefused(refusal), refusal);
      assertHolds(JettyInternals.isOfOneStream(refusal), refusal);
      Throwable other = failure(client, server.uri(Script.ok().fault(Fault.STREAM_RESET)));
      assertHolds(!JettyInternals.isRefused(other), other);
    } finally {
      client.stop();
    }
  }

  @Test
  void goAway() throws Exception {
    Throwable failure =
        failure(
            Wire.H2C,
            socket -> {
              DataInputStream in = answerByGoAway(socket, 0);
              while (in.read() >= 0) {} // until the client leaves
            });
    assertHolds(JettyInternals.isRefused(failure), failure);
    assertHolds(!JettyInternals.isOfOneStream(failure), failure);
  }

  /** SETTINGS, and GOAWAY once a request has come; gives what the client says. */
  private static DataInputStream answerByGoAway(Socket socket, int lastStream) throws IOException {
    socket.getOutputStream().write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
    DataInputStream in = new DataInputStream(socket.getInputStream());
    readUntilHead(in);
    socket.getOutputStream().write(goAway(lastStream));
    return in;
  }

  /** With NO_ERROR. */
  private static byte[] goAway(int lastStream) {
    return ByteBuffer.allocate(17)
        .put(new byte[] {0, 0, 8, 7, 0, 0, 0, 0, 0})
        .putInt(lastStream)
        .array();
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void endOfAConnection(Wire wire) throws Exception {
    Throwable failure =
        failure(
            wire,
            socket -> {
              if (wire.isMultiplexed()) {
                socket.getOutputStream().write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0}); // SETTINGS
                readUntilHead(new DataInputStream(socket.getInputStream()));
              } else {
                int unused = socket.getInputStream().read(new byte[1024]);
              }
            });
    assertHolds(JettyInternals.isConnectionLoss(failure), failure);
    assertHolds(!JettyInternals.isRefused(failure), failure);
  }

  /** GOAWAY with NO_ERROR that allows all streams, and the end. */
  @Test
  void endOfAConnectionThatWasSaid() throws Exception {
    Throwable failure =
        failure(
            Wire.H2C,
            socket -> {
              DataInputStream in = answerByGoAway(socket, Integer.MAX_VALUE);
              socket.shutdownOutput();
              while (in.read() >= 0) {} // else it would be reset
            });
    assertHolds(JettyInternals.isConnectionLoss(failure), failure);
  }

  @Test
  void aStreamThatWasResetWithoutAnError() throws Exception {
    Throwable failure =
        failure(
            Wire.H2C,
            socket -> {
              socket.getOutputStream().write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
              DataInputStream in = new DataInputStream(socket.getInputStream());
              readUntilHead(in);
              byte[] reset = {0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0};
              socket.getOutputStream().write(reset);
              while (in.read() >= 0) {} // until the client leaves
            });
    assertHolds(JettyInternals.isConnectionLoss(failure), failure);
  }

  /** Reads the client's preface, and its frames up to the first head of a request. */
  static void readUntilHead(DataInputStream in) throws IOException {
    in.readFully(new byte[24]);
    for (; ; ) {
      int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
      int type = in.readUnsignedByte();
      in.readFully(new byte[5 + length]);
      if (type == 1) {
        return;
      }
    }
  }

  /** Over HTTP/2: over HTTP/1.1 the race with the request has several ends. */
  @Test
  void endOfAHandshake() throws Exception {
    Throwable failure =
        failure(
            Wire.H2_TLS,
            socket -> {
              int unused = socket.getInputStream().read(new byte[4096]);
            });
    assertHolds(JettyInternals.isCutHandshake(failure), failure);
    assertHolds(JettyInternals.isConnectionLoss(failure), failure);
  }

  /** In TLS 1.2 the server has the last word: its goodbye comes with it. */
  @Test
  void endRightBehindAHandshake() throws Exception {
    Throwable failure = failure(Wire.H2_TLS, JettyInternalsTest::shakeHandsAndLeave);
    assertHolds(JettyInternals.isConnectionLoss(failure), failure);
  }

  static void shakeHandsAndLeave(Socket socket) throws IOException {
    SSLSocket tls =
        (SSLSocket) FaultServer.sslContext().getSocketFactory().createSocket(socket, null, true);
    tls.setUseClientMode(false);
    tls.setEnabledProtocols(new String[] {"TLSv1.2"});
    SSLParameters parameters = tls.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"h2"});
    tls.setSSLParameters(parameters);
    tls.startHandshake();
    tls.close();
  }

  @Test
  void whatAUserHasMadeIsNoEndOfAConnection() {
    assertFalse(JettyInternals.isConnectionLoss(new EOFException()));
    assertFalse(JettyInternals.isRefused(new IOException("refused_stream_error")));
  }

  @Test
  void aPageOfAChallengeThatIsTooLong() throws Exception {
    HttpClient client = stock(Wire.HTTP_1_1);
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      Script page = Script.answer(401).header("WWW-Authenticate", "Basic realm=\"r\"").body(50_000);
      Request request = client.newRequest(server.uri(page));
      assertEquals(401, request.send().getStatus());
      Throwable failure = request.getAbortCause();
      assertNotNull(failure);
      assertHolds(JettyInternals.isTooLongForHandler(failure), failure);
      assertFalse(JettyInternals.isTooLongForHandler(new IllegalArgumentException()));
    } finally {
      client.stop();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {300, 301, 302, 303, 304, 305, 306, 307, 308})
  void statusThatIsFollowed(int status) throws Exception {
    HttpClient client = stock(Wire.HTTP_1_1);
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      Script redirect =
          Script.answer(status).header("Location", server.uri(Script.ok()).toString());
      int got = client.GET(server.uri(redirect)).getStatus();
      assertEquals(JettyInternals.isRedirect(status) ? 200 : status, got);
    } finally {
      client.stop();
    }
  }

  private static Throwable streamless(OnSession before) throws Exception {
    HTTP2Client client = new HTTP2Client();
    client.start();
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      server.maxStreams(1);
      Promise.Completable<Void> told = new Promise.Completable<>();
      Session session =
          client
              .connect(
                  new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()),
                  new Session.Listener() {
                    @Override
                    public void onSettings(Session session, SettingsFrame frame) {
                      told.succeeded(null);
                    }
                  })
              .get(30, TimeUnit.SECONDS);
      told.get(30, TimeUnit.SECONDS);
      URI uri = server.uri(Script.ok().fault(Fault.STALL));
      before.on(session, uri);
      return cause(() -> newStream(session, uri).get(30, TimeUnit.SECONDS));
    } finally {
      client.stop();
    }
  }

  private static CompletableFuture<Stream> newStream(Session session, URI uri) {
    MetaData.Request get =
        new MetaData.Request("GET", HttpURI.from(uri), HttpVersion.HTTP_2, HttpFields.EMPTY);
    return session.newStream(new HeadersFrame(get, null, true), new Stream.Listener() {});
  }

  @Test
  void aStreamOfAConnectionThatIsClosed() throws Exception {
    Throwable failure = streamless((session, uri) -> session.close(0, null, Callback.NOOP));
    assertInstanceOf(IllegalStateException.class, failure);
    assertHolds(!JettyInternals.isOfOneStream(failure), failure);
    assertHolds(JettyInternals.isRefused(failure), failure);
  }

  @Test
  void aStreamMoreThanTheServerAllows() throws Exception {
    Throwable failure =
        streamless((session, uri) -> newStream(session, uri).get(30, TimeUnit.SECONDS));
    assertInstanceOf(IllegalStateException.class, failure);
    assertHolds(JettyInternals.isOfOneStream(failure), failure);
    assertHolds(JettyInternals.isRefused(failure), failure);
  }
}
