package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import io.netty.buffer.ByteBuf;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Request;
import org.asynchttpclient.request.body.Body;
import org.asynchttpclient.request.body.generator.BodyGenerator;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A user's body fails midway: the server sees a request that is cut, not one that is whole, and the
 * caller gets the user's own exception. A future once waited for ever.
 */
@Timeout(60)
class BrokenBodyTest {

  private static final int PART = 100_000;

  @FunctionalInterface
  private interface Check {
    void run(BlockingAhcClient client, URI uri, FaultServer server) throws Exception;
  }

  /** The server would answer a whole request; then the client is of use for another. */
  private static void assertCut(Wire wire, Check check) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        BlockingAhcClient client =
            new BlockingAhcClient(
                Dsl.config().setHttp2CleartextEnabled(wire == Wire.H2C).build())) {
      Request other = Dsl.get(server.uri(Script.ok()).toString()).build();
      assertEquals(200, client.execute(other).getStatusCode());
      URI uri = server.uri(Script.ok());
      check.run(client, uri, server);
      for (Seen each : server.seen(uri)) {
        while (!each.isAborted()) {
          assertFalse(each.isBodyComplete(), "a body that was cut is taken for a whole one");
          Thread.sleep(5);
        }
      }
      assertEquals(0, client.inFlight());
      assertEquals(200, client.execute(other).getStatusCode());
    }
  }

  private static void awaitPart(FaultServer server, URI uri, int requests) {
    while (server.seen(uri).size() < requests
        || server.seen(uri).get(requests - 1).bodyBytes() < PART) {
      try {
        Thread.sleep(5);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** A stream of the writer's own that is closed writes once more, after the write that failed. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void writerThatWritesOnceMore(Wire wire) throws Exception {
    assertCut(
        wire,
        (client, uri, server) -> {
          Request interrupted =
              post(uri, out -> writeTwice(server, uri, 1, out, Thread.currentThread()::interrupt));
          assertThrows(InterruptedException.class, () -> client.execute(interrupted));
          Request late = post(uri, out -> writeTwice(server, uri, 2, out, () -> pause(700)));
          assertThrows(
              DeadlineExceededException.class, () -> client.execute(late, Duration.ofMillis(500)));
        });
  }

  private static Request post(URI uri, WrittenBody.Writer writer) {
    return Dsl.post(uri.toString()).setBody(new WrittenBody(writer)).build();
  }

  private static void writeTwice(
      FaultServer server, URI uri, int requests, OutputStream out, Runnable before)
      throws IOException {
    out.write(new byte[PART]);
    out.flush();
    awaitPart(server, uri, requests);
    before.run();
    try (OutputStream own = new BufferedOutputStream(out)) {
      own.write(1);
      own.flush();
    }
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void writer(Wire wire) throws Exception {
    assertCut(
        wire,
        (client, uri, server) -> {
          int requests = 0;
          for (Exception own :
              new Exception[] {new IOException("no thread"), new IllegalStateException("no")}) {
            for (boolean stream : new boolean[] {false, true}) {
              int now = ++requests;
              Request post = post(uri, server, now, own);
              assertSame(
                  own,
                  assertThrows(
                      Exception.class,
                      () -> (stream ? client.stream(post) : client.execute(post)).toString()));
            }
            int now = ++requests;
            ExecutionException failure =
                assertThrows(
                    ExecutionException.class,
                    () -> client.executeRequest(post(uri, server, now, own)).get());
            assertSame(own, failure.getCause());
          }
          assertEquals(6, server.seen(uri).size());
        });
  }

  private static Request post(URI uri, FaultServer server, int requests, Exception own) {
    WrittenBody body =
        new WrittenBody(
            out -> {
              out.write(new byte[PART]);
              out.flush();
              awaitPart(server, uri, requests);
              if (own instanceof IOException failed) {
                throw failed;
              }
              throw (RuntimeException) own;
            });
    return Dsl.post(uri.toString()).setBody(body).build();
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void generator(Wire wire) throws Exception {
    IOException own = new IOException("no thread");
    assertCut(
        wire,
        (client, uri, server) -> {
          int[] requests = {0};
          BodyGenerator broken = () -> new Breaking(own, () -> awaitPart(server, uri, requests[0]));
          Request post = Dsl.post(uri.toString()).setBody(broken).build();
          requests[0]++;
          assertSame(own, assertThrows(IOException.class, () -> client.execute(post)));
          requests[0]++;
          ExecutionException failure =
              assertThrows(ExecutionException.class, client.executeRequest(post)::get);
          assertSame(own, failure.getCause());
        });
  }

  /** Gives a part, and then throws. */
  private static final class Breaking implements Body {
    private final IOException own;
    private final Runnable beforeIt;
    private int given;

    Breaking(IOException own, Runnable beforeIt) {
      this.own = own;
      this.beforeIt = beforeIt;
    }

    @Override
    public long getContentLength() {
      return -1;
    }

    @Override
    public BodyState transferTo(ByteBuf target) throws IOException {
      if (given >= PART + 200_000) { // more than can wait on the way
        beforeIt.run();
        throw own;
      }
      int n = target.writableBytes();
      target.writeZero(n);
      given += n;
      return BodyState.CONTINUE;
    }

    @Override
    public void close() {}
  }
}
