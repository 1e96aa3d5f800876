package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server resets a connection of HTTP/2 that was just made, before anything was said on it. All
 * who waited for that connection were seen to wait on: the client's preface could not be written,
 * which was to be told once all had been read that had come; but nobody reads before the preface is
 * written.
 */
@Timeout(60)
class ResetWhileOpeningTest {

  private final AtomicInteger opened = new AtomicInteger();

  private static BlockingJettyClient client() {
    BlockingJettyClient client = new BlockingJettyClient(JettyClient.transport(Wire.H2C));
    client.setMaxConnectionsPerDestination(1);
    return client;
  }

  /** Where each connection goes, whatever the request says. */
  private static void connectTo(BlockingJettyClient client, IntSupplier port) {
    client.setSocketAddressResolver(
        (host, asked, context, addresses) ->
            addresses.succeeded(
                List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.getAsInt()))));
  }

  /** Resets the first connection between its making and its preface. */
  private HTTP2Session.LifeCycleListener resetting(ServerSocket door) {
    return new HTTP2Session.LifeCycleListener() {
      @Override
      public void onOpen(Session session) {
        if (opened.getAndIncrement() == 0) {
          try (Socket first = door.accept()) {
            first.setSoLinger(true, 0);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      }
    };
  }

  @Test
  void whoWaitsForItGetsAnother() throws Exception {
    BlockingJettyClient client = client();
    try (FaultServer server = FaultServer.start(Wire.H2C);
        ServerSocket door = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      connectTo(client, () -> opened.get() == 0 ? door.getLocalPort() : server.port());
      client.start();
      for (HTTP2Client each : client.getContainedBeans(HTTP2Client.class)) {
        each.addEventListener(resetting(door));
      }
      Request get = client.newRequest(server.uri("localhost", Script.ok()));
      assertEquals(200, get.timeout(20, TimeUnit.SECONDS).send().getStatus());
      assertEquals(2, opened.get(), "connections");
    } finally {
      client.stop();
    }
  }

  /** The connection was opened for another, before this request came. */
  @Test
  void whoComesLaterGetsAnother() throws Exception {
    BlockingJettyClient client = client();
    try (FaultServer server = FaultServer.start(Wire.H2C);
        ServerSocket door = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      connectTo(client, () -> opened.getAndIncrement() == 0 ? door.getLocalPort() : server.port());
      client.start();
      URI uri = server.uri("localhost", Script.ok());
      FutureTask<Integer> call = new FutureTask<>(() -> send(client.newRequest(uri)));
      Thread other = Thread.ofVirtual().start(() -> send(client.newRequest(uri)));
      try (Socket first = door.accept()) {
        Thread.sleep(20); // it is told in ms who was there before
        Thread.ofVirtual().start(call);
        while (client.waiting() < 2) {
          Thread.sleep(1);
        }
        other.interrupt();
        other.join();
        first.getOutputStream().write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0}); // SETTINGS
        JettyInternalsTest.readUntilHead(new DataInputStream(first.getInputStream()));
        first.setSoLinger(true, 0);
      }
      assertEquals(200, call.get());
      assertEquals(1, server.seen(uri).size(), "times sent");
    } finally {
      client.stop();
    }
  }

  private static int send(Request get) {
    try {
      return get.timeout(20, TimeUnit.SECONDS).send().getStatus();
    } catch (InterruptedException e) {
      return -1;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
