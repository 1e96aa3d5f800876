package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import io.heddle.core.CallEvent;
import io.heddle.core.Deadline;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Request;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection that many calls share: none is ended by another, and a dead one is left. */
@Timeout(90)
class SharedConnectionTest {

  private final BlockingQueue<Channel> connections = new LinkedBlockingQueue<>();

  private BlockingAhcClient client() {
    return new BlockingAhcClient(
        Dsl.config()
            .setHttp2CleartextEnabled(true)
            .setHttpAdditionalChannelInitializer(connections::add)
            .setReadTimeout(Duration.ofSeconds(60))
            .setRequestTimeout(Duration.ofSeconds(60))
            .build());
  }

  private static Seen stalled(FaultServer server, URI uri) throws InterruptedException {
    while (server.seen(uri).isEmpty()) {
      Thread.sleep(5);
    }
    return server.seen(uri).get(0);
  }

  /** Of a request without a stream AHC knows no more than the connection, and closes that. */
  @Test
  void timeoutBeforeTheStreamIsOpenHarmsNoSibling() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client()) {
      client.execute(Dsl.get(server.uri(Script.ok()).toString()).build());
      URI uri = server.uri(Script.ok().fault(Fault.STALL));
      FutureTask<Integer> sibling =
          new FutureTask<>(() -> client.execute(Dsl.get(uri.toString()).build()).getStatusCode());
      Thread.ofVirtual().start(sibling);
      Seen stalled = stalled(server, uri);
      Channel connection = connections.take();
      CountDownLatch goOn = new CountDownLatch(1);
      connection
          .eventLoop()
          .execute(
              () -> {
                try {
                  goOn.await();
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              });
      Request late =
          Dsl.get(server.uri(Script.ok()).toString())
              .setRequestTimeout(Duration.ofMillis(300))
              .build();
      assertThrows(IOException.class, () -> client.execute(late));
      goOn.countDown();
      assertEquals(
          200, client.execute(Dsl.get(server.uri(Script.ok()).toString()).build()).getStatusCode());
      stalled.release();
      assertEquals(200, sibling.get());
      assertEquals(1, server.connectionsAccepted());
    }
  }

  /** A server that answers PINGs is slow, and not dead: calls go on there. */
  @Test
  void slowServerIsNotLeft() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client()) {
      client.execute(Dsl.get(server.uri(Script.ok()).toString()).build());
      for (int i = 0; i < 3; i++) {
        Request slow = Dsl.get(server.uri(Script.ok().fault(Fault.STALL)).toString()).build();
        assertThrows(
            DeadlineExceededException.class, () -> client.execute(slow, Duration.ofMillis(300)));
        client.execute(Dsl.get(server.uri(Script.ok()).toString()).build());
      }
      assertEquals(1, server.connectionsAccepted());
    }
  }

  /**
   * A call has its place, and the connection says good-bye before it goes there: it goes to the
   * next one. That took it for the lane of its calls, which nobody opened any more once a timeout
   * had paused it.
   */
  @Test
  void callOfALaneThatWasLeft() throws Exception {
    byte[] goAway = {0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}; // the last stream is 1
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client()) {
      Request get = Dsl.get(server.uri(Script.ok()).toString()).build();
      client.execute(get);
      AhcLanes.Permit place = client.lanes().enter(get, Deadline.none(), turn -> {}, CallEvent.OFF);
      Channel connection = connections.take();
      connection
          .eventLoop()
          .submit(() -> connection.pipeline().fireChannelRead(Unpooled.wrappedBuffer(goAway)))
          .sync();
      client.execute(get); // which opens the next one
      URI uri = server.uri(Script.ok().fault(Fault.STALL));
      Request slow = Dsl.get(uri.toString()).build();
      FutureTask<Object> timedOut =
          new FutureTask<>(() -> client.execute(slow, Duration.ofSeconds(2)));
      Thread.ofVirtual().start(timedOut);
      stalled(server, uri);
      WholeExchange late = new WholeExchange(client, get, place);
      late.start();
      assertEquals(200, late.outcome().await(Deadline.none()).getStatusCode());
      assertThrows(ExecutionException.class, timedOut::get);
      assertEquals(200, client.execute(get, Duration.ofSeconds(30)).getStatusCode());
      assertEquals(2, server.connectionsAccepted());
    }
  }

  /** Passes bytes on, until the path goes silent: TCP tells nobody. */
  private static final class Path implements AutoCloseable {

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> ends = new CopyOnWriteArrayList<>();
    private final int to;
    private volatile int silent;

    Path(int to) throws IOException {
      this.to = to;
      Thread.ofVirtual().start(this::accept);
    }

    private void accept() {
      try {
        for (int i = 1; ; i++) {
          Socket client = listener.accept();
          Socket server = new Socket(InetAddress.getLoopbackAddress(), to);
          ends.addAll(List.of(client, server));
          int number = i;
          Thread.ofVirtual().start(() -> pass(client, server, number));
          Thread.ofVirtual().start(() -> pass(server, client, number));
        }
      } catch (IOException e) {
        return; // the test is over
      }
    }

    private void pass(Socket from, Socket into, int number) {
      byte[] buffer = new byte[8192];
      try {
        for (int n = from.getInputStream().read(buffer);
            n >= 0;
            n = from.getInputStream().read(buffer)) {
          if (number > silent) {
            into.getOutputStream().write(buffer, 0, n);
          }
        }
      } catch (IOException e) {
        return; // the test is over
      }
    }

    @Override
    public void close() throws IOException {
      listener.close();
      for (Socket each : ends) {
        each.close();
      }
    }
  }

  @Test
  void deadPathIsLeftAfterATimeout() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        Path path = new Path(server.port());
        BlockingAhcClient client = client()) {
      URI there = server.uri(Script.ok());
      Request request =
          Dsl.get(
                  "http://127.0.0.1:"
                      + path.listener.getLocalPort()
                      + there.getPath()
                      + "?status=200")
              .build();
      assertEquals(200, client.execute(request).getStatusCode());
      FutureTask<Object> waiting = new FutureTask<>(() -> client.execute(request).getStatusCode());
      path.silent = 1; // the first connection, and no other
      Thread.ofVirtual().start(waiting);
      assertThrows(
          DeadlineExceededException.class, () -> client.execute(request, Duration.ofMillis(300)));
      long begun = System.nanoTime();
      assertEquals(200, client.execute(request, Duration.ofSeconds(30)).getStatusCode());
      Duration took = Duration.ofNanos(System.nanoTime() - begun);
      assertTrue(took.compareTo(Duration.ofSeconds(10)) < 0, "it took " + took);
      assertThrows(Exception.class, waiting::get); // with the connection
      assertEquals(4, path.ends.size(), "sockets of two connections");
    }
  }
}
