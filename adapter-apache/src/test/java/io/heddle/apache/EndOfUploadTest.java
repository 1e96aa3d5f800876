package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.impl.BasicEntityDetails;
import org.apache.hc.core5.http.io.entity.EntityTemplate;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.nio.AsyncClientExchangeHandler;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.apache.hc.core5.http.nio.DataStreamChannel;
import org.apache.hc.core5.http.nio.RequestChannel;
import org.apache.hc.core5.http.nio.command.RequestExecutionCommand;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.reactor.IOSession;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The engine looks at each upload, and then counts who has asked for output: an upload that came to
 * its end in between was forgotten, and its call waited for ever, unless the connection had another
 * event.
 */
@Timeout(60)
class EndOfUploadTest {

  private final BlockingConnectionManager manager =
      BlockingConnectionManager.builder().setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_2).build();

  private final CloseableHttpClient client =
      BlockingHttpClients.custom().setConnectionManager(manager).disableAutomaticRetries().build();

  private final AtomicInteger requests = new AtomicInteger();
  private final CountDownLatch bytesCame = new CountDownLatch(1);

  private final Http2Peer.Behaviour answersTheEnd =
      new Http2Peer.Behaviour() {
        @Override
        public void request(Http2Peer.Connection on, int stream, boolean end) {
          requests.incrementAndGet();
        }

        @Override
        public void data(Http2Peer.Connection on, int stream, boolean end) throws IOException {
          bytesCame.countDown();
          if (end) {
            on.answer(stream, 200);
          }
        }
      };

  @Test
  void anUploadThatEndsBetweenTheEnginesLooksIsEnded() throws Exception {
    CountDownLatch mayEnd = new CountDownLatch(1);
    CountDownLatch written = new CountDownLatch(1);
    try (Http2Peer peer = new Http2Peer(100, answersTheEnd);
        client) {
      FutureTask<Integer> call = new FutureTask<>(() -> post(peer, mayEnd, written));
      Thread caller = Thread.ofPlatform().daemon().start(call);
      assertTrue(bytesCame.await(20, TimeUnit.SECONDS));
      Holding holding = new Holding();
      ReactorConnection connection = connection(peer);
      ReactorConnection.enqueue(
          session(connection), new RequestExecutionCommand(holding, null, null, null));
      Threads.await("the other's head came", () -> requests.get() == 2);
      Threads.await("the engine has no more to write", () -> !connection.hasOutput());

      holding.armed = true;
      connection.wakeUp();
      assertTrue(holding.inside.await(20, TimeUnit.SECONDS), "it looks, and at the other last");
      mayEnd.countDown();
      assertTrue(written.await(20, TimeUnit.SECONDS));
      Threads.awaitParked("it waits for its head", caller);
      holding.armed = false;
      holding.go.countDown();
      assertEquals(200, call.get(20, TimeUnit.SECONDS));
    }
  }

  private int post(Http2Peer peer, CountDownLatch mayEnd, CountDownLatch written)
      throws IOException {
    HttpPost post = new HttpPost(peer.uri());
    post.setEntity(
        new EntityTemplate(
            -1,
            ContentType.TEXT_PLAIN,
            null,
            (OutputStream to) -> {
              to.write("order".getBytes(StandardCharsets.US_ASCII));
              to.flush();
              try {
                mayEnd.await();
              } catch (InterruptedException e) {
                throw new IOException(e);
              }
              written.countDown();
            }));
    return client.execute(post, response -> response.getCode());
  }

  /** That of the call: there is one. */
  private ReactorConnection connection(Http2Peer peer) throws Exception {
    CompletableFuture<ReactorConnection> its = new CompletableFuture<>();
    ApacheClient.withConnection(manager, peer.uri(), its::complete);
    return its.join();
  }

  private static IOSession session(ReactorConnection connection)
      throws ReflectiveOperationException {
    Field field = ReactorConnection.class.getDeclaredField("ioSession");
    field.setAccessible(true);
    return (IOSession) field.get(connection);
  }

  /** An upload that has nothing to send, and holds the engine up as it looks. */
  private static final class Holding implements AsyncClientExchangeHandler {
    final CountDownLatch inside = new CountDownLatch(1);
    final CountDownLatch go = new CountDownLatch(1);
    volatile boolean armed;

    @Override
    public void produceRequest(RequestChannel channel, HttpContext context)
        throws HttpException, IOException {
      channel.sendRequest(
          new BasicHttpRequest("POST", new HttpHost("localhost"), "/"),
          new BasicEntityDetails(-1, ContentType.TEXT_PLAIN),
          context);
    }

    @Override
    public int available() {
      return 0;
    }

    @Override
    public void produce(DataStreamChannel channel) throws IOException {
      if (armed) {
        inside.countDown();
        try {
          go.await();
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
      }
    }

    @Override
    public void consumeResponse(
        HttpResponse response, @Nullable EntityDetails entity, HttpContext context) {}

    @Override
    public void consumeInformation(HttpResponse response, HttpContext context) {}

    @Override
    public void updateCapacity(CapacityChannel channel) {}

    @Override
    public void consume(ByteBuffer src) {}

    @Override
    public void streamEnd(@Nullable List<? extends Header> trailers) {}

    @Override
    public void failed(Exception cause) {
      go.countDown();
    }

    @Override
    public void cancel() {}

    @Override
    public void releaseResources() {}
  }
}
