package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import io.netty.channel.Channel;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLException;
import org.asynchttpclient.AsyncCompletionHandlerBase;
import org.asynchttpclient.AsyncHttpClient;
import org.asynchttpclient.DefaultAsyncHttpClientConfig;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.ListenableFuture;
import org.asynchttpclient.Response;
import org.asynchttpclient.netty.NettyResponseFuture;
import org.asynchttpclient.netty.channel.Http2ConnectionState;
import org.asynchttpclient.netty.request.NettyRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What {@link AhcInternals} knows is so: each test asks AHC's own client, or the JDK. One that
 * fails after an upgrade names the method to look at.
 */
@Timeout(60)
class AhcInternalsTest {

  private final BlockingQueue<Channel> connections = new LinkedBlockingQueue<>();
  private final BlockingQueue<NettyResponseFuture<?>> futures = new LinkedBlockingQueue<>();

  private AsyncHttpClient stock(UnaryOperator<DefaultAsyncHttpClientConfig.Builder> settings) {
    return Dsl.asyncHttpClient(
        settings.apply(
            Dsl.config()
                .setHttp2CleartextEnabled(true)
                .setMaxRequestRetry(0)
                .setShutdownQuietPeriod(Duration.ZERO)
                .setHttpAdditionalChannelInitializer(
                    connection -> {
                      StockConnections.readLate(connection);
                      connections.add(connection);
                    })));
  }

  private AsyncHttpClient stock() {
    return stock(config -> config);
  }

  private static Throwable failure(ListenableFuture<?> call) {
    return Objects.requireNonNull(assertThrows(ExecutionException.class, call::get).getCause());
  }

  private static void assertHolds(boolean is, Throwable failure) {
    assertTrue(is, failure::toString);
  }

  // ---- failures -------------------------------------------------------------------------------

  @Test
  void refusedStream() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        AsyncHttpClient client = stock()) {
      URI refused = server.uri(Script.ok().fault(Fault.STREAM_REFUSED));
      Throwable refusal = failure(client.prepareGet(refused.toString()).execute());
      assertHolds(AhcInternals.isRefusedStream(refusal), refusal);
      URI reset = server.uri(Script.ok().fault(Fault.STREAM_RESET));
      Throwable other = failure(client.prepareGet(reset.toString()).execute());
      assertHolds(!AhcInternals.isRefusedStream(other), other);
    }
  }

  @Test
  @SuppressWarnings("FutureReturnValueIgnored") // the calls hear of it
  void endOfConnectionUnderAStreamAndBeforeOne() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        AsyncHttpClient client = stock()) {
      server.maxStreams(1);
      client.prepareGet(server.uri(Script.ok()).toString()).execute().get(); // it knows that
      URI stalled = server.uri(Script.ok().fault(Fault.STALL));
      ListenableFuture<?> open = client.prepareGet(stalled.toString()).execute();
      ListenableFuture<?> queued = client.prepareGet(stalled.toString()).execute();
      connections.take().pipeline().firstContext().close(); // past the codec, without GOAWAY
      Throwable ofQueued = failure(queued);
      assertHolds(AhcInternals.isOfLeavingConnection(ofQueued), ofQueued);
      assertHolds(AhcInternals.isEndOfConnection(ofQueued), ofQueued);
      Throwable ofOpen = failure(open);
      assertHolds(AhcInternals.isEndOfConnection(ofOpen), ofOpen);
      assertHolds(!AhcInternals.isOfLeavingConnection(ofOpen), ofOpen);
    }
  }

  @Test
  void goAwayBeforeAStream() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        AsyncHttpClient client = stock()) {
      server.maxStreams(1);
      client.prepareGet(server.uri(Script.ok()).toString()).execute().get();
      URI stalled = server.uri(Script.ok().fault(Fault.STALL));
      ListenableFuture<?> open = client.prepareGet(stalled.toString()).execute();
      ListenableFuture<?> queued = client.prepareGet(stalled.toString()).execute();
      server.closeConnections();
      Throwable failure = failure(queued);
      assertHolds(AhcInternals.isOfLeavingConnection(failure), failure);
      open.cancel(true);
    }
  }

  @Test
  void resetAndNoReaderOfASocket() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        SocketChannel client =
            SocketChannel.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort()))) {
      Socket accepted = server.accept();
      accepted.setSoLinger(true, 0);
      accepted.close(); // by a reset
      IOException reset = assertThrows(IOException.class, () -> write(client));
      assertHolds(AhcInternals.isEndOfConnection(reset), reset);
      IOException noReader = assertThrows(IOException.class, () -> write(client));
      assertHolds(AhcInternals.isEndOfConnection(noReader), noReader);
    }
  }

  /** Goes on until it fails. */
  private static void write(SocketChannel client) throws IOException {
    while (client.write(ByteBuffer.allocate(1)) >= 0) {}
  }

  @Test
  void failuresOfANativeTransport() throws Exception {
    Class<?> failure =
        Class.forName( // which its static initializer cannot be run for: it needs the library
            "io.netty.channel.unix.Errors$NativeIoException",
            false,
            Channel.class.getClassLoader());
    assertTrue(AhcInternals.isOfNetty(failure));
  }

  @Test
  void requestTimeout() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        AsyncHttpClient client = stock()) {
      String stalled = server.uri(Script.ok().fault(Fault.STALL)).toString();
      Duration soon = Duration.ofMillis(200);
      Throwable whole = failure(client.prepareGet(stalled).setRequestTimeout(soon).execute());
      assertHolds(AhcInternals.isRequestTimeout(AhcInternals.unwrapped(whole)), whole);
      Throwable read = failure(client.prepareGet(stalled).setReadTimeout(soon).execute());
      assertHolds(!AhcInternals.isRequestTimeout(AhcInternals.unwrapped(read)), read);
    }
  }

  @Test
  void aClosedClient() throws Exception {
    AsyncHttpClient client = stock();
    client.close();
    Throwable failure = failure(client.prepareGet("http://127.0.0.1:1/").execute());
    assertHolds(AhcInternals.isClosed(failure), failure);
  }

  @Test
  void whatIsNoHttp() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        AsyncHttpClient client = stock(config -> config.setHttp2CleartextEnabled(false))) {
      Thread.ofVirtual().start(() -> answer(server, "220 here is mail\r\n\r\n"));
      String uri = "http://127.0.0.1:" + server.getLocalPort() + "/";
      Throwable failure = failure(client.prepareGet(uri).execute());
      assertHolds(AhcInternals.isNoHttp(failure), failure);
    }
  }

  private static void answer(ServerSocket server, String text) {
    try (Socket accepted = server.accept()) {
      accepted.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
      while (accepted.getInputStream().read() >= 0) {} // until the client leaves
    } catch (IOException e) {
      return; // the test is over
    }
  }

  @Test
  void endAsAStreamOpens() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        AsyncHttpClient client = stock()) {
      AsyncCompletionHandlerBase closes =
          new AsyncCompletionHandlerBase() {
            @Override
            @SuppressWarnings("FutureReturnValueIgnored") // the event loop does it at once
            public void onRequestSend(NettyRequest request) {
              connections.remove().close();
            }
          };
      String uri = server.uri(Script.ok()).toString();
      Throwable failure = failure(client.preparePost(uri).setBody(new byte[100]).execute(closes));
      assertHolds(AhcInternals.mayBeEndAsStreamOpens(failure), failure);
    }
  }

  @Test
  void whatIsWrappedInAFailureToConnect() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1_TLS);
        AsyncHttpClient client = stock()) {
      Throwable untrusted =
          failure(client.prepareGet(server.uri(Script.ok()).toString()).execute());
      assertInstanceOf(ConnectException.class, untrusted);
      assertInstanceOf(SSLException.class, AhcInternals.unwrapped(untrusted));
    }
    int nobody;
    try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nobody = closed.getLocalPort();
    }
    try (AsyncHttpClient client = stock()) {
      Throwable refused = failure(client.prepareGet("http://127.0.0.1:" + nobody + "/").execute());
      assertInstanceOf(ConnectException.class, refused);
      Throwable is = AhcInternals.unwrapped(refused);
      assertInstanceOf(ConnectException.class, is);
      assertEquals(refused.getCause(), is);
    }
  }

  // ---- how AHC opens a stream -----------------------------------------------------------------

  @Test
  void aStreamIsOfferedWithItsFuture() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        AsyncHttpClient client = stock()) {
      String uri = server.uri(Script.ok()).toString();
      client.prepareGet(uri).execute().get();
      Http2ConnectionState offered =
          new Http2ConnectionState() {
            @Override
            public boolean tryAcquireStream() {
              return AhcInternals.PLACE_AT_ONCE;
            }

            @Override
            public boolean offerPendingOpener(NettyResponseFuture<?> future, Runnable opener) {
              futures.add(future);
              opener.run();
              return true;
            }
          };
      connections.take().attr(Http2ConnectionState.HTTP2_STATE_KEY).set(offered);
      ListenableFuture<Response> call = client.prepareGet(uri).execute();
      assertEquals(200, call.get().getStatusCode());
      assertEquals(List.of(call), List.copyOf(futures));
    }
  }

  // ---- what AHC has done by the time that it calls onRequestSend ------------------------------

  @Test
  void aNewConnectionHasTheFutureOfItsRequest() throws Exception {
    for (Wire wire : new Wire[] {Wire.H2C, Wire.HTTP_1_1}) {
      try (FaultServer server = FaultServer.start(wire);
          AsyncHttpClient client =
              stock(config -> config.setHttp2CleartextEnabled(wire == Wire.H2C))) {
        AsyncCompletionHandlerBase looks =
            new AsyncCompletionHandlerBase() {
              @Override
              public void onRequestSend(NettyRequest request) {
                futures.add(Objects.requireNonNull(AhcInternals.future(connections.remove())));
              }
            };
        ListenableFuture<Response> call =
            client.prepareGet(server.uri(Script.ok()).toString()).execute(looks);
        assertEquals(200, call.get().getStatusCode());
        assertEquals(call, futures.remove());
      }
    }
  }

  /** Looks when the request is about to go out, on the event loop. */
  private static final class Looks extends AsyncCompletionHandlerBase {
    private final CompletableFuture<NettyResponseFuture<?>> future = new CompletableFuture<>();
    private final CompletableFuture<Boolean> hasStream = new CompletableFuture<>();
    private final Supplier<Channel> connection;

    Looks(Supplier<Channel> connection) {
      this.connection = connection;
    }

    @Override
    public void onRequestSend(NettyRequest request) {
      Channel on = connection.get();
      if (on.eventLoop().inEventLoop() && future.isDone()) {
        hasStream.complete(AhcInternals.stream(future.join()) != null);
      } else {
        hasStream.completeExceptionally(new AssertionError("not on the event loop"));
      }
    }
  }

  @Test
  void theFutureHasTheStreamByThen() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        AsyncHttpClient client = stock()) {
      String uri = server.uri(Script.ok()).toString();
      client.prepareGet(uri).execute().get();
      Channel connection = connections.take();
      HeldLoop loop = new HeldLoop(connection.eventLoop(), () -> {});
      Looks looks = new Looks(() -> connection);
      ListenableFuture<Response> call = client.prepareGet(uri).execute(looks);
      looks.future.complete(assertInstanceOf(NettyResponseFuture.class, call));
      loop.goOn();
      assertTrue(looks.hasStream.get(), "stream");
      assertEquals(200, call.get().getStatusCode());
    }
  }

  @Test
  void whatIsReleasedIsNotWritten() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        AsyncHttpClient client = stock(config -> config.setHttp2CleartextEnabled(false))) {
      URI uri = server.uri(Script.ok());
      CompletableFuture<NettyRequest> released = new CompletableFuture<>();
      ListenableFuture<Response> call =
          client
              .preparePost(uri.toString())
              .setBody(new byte[100])
              .execute(
                  new AsyncCompletionHandlerBase() {
                    @Override
                    public void onRequestSend(NettyRequest request) {
                      AhcInternals.leaveOut(request);
                      released.complete(request);
                    }
                  });
      assertNotNull(released.get());
      Channel connection = connections.take();
      connection.eventLoop().submit(() -> {}).sync(); // it has gone on from there
      connection.close().sync(); // what was written goes out before
      while (server.connectionsOpen() > 0) {
        Thread.sleep(1);
      }
      assertTrue(server.seen(uri).isEmpty(), "leaveOut");
      call.cancel(true);
    }
  }
}
