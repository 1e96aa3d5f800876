package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import okhttp3.Call;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A shared HTTP/2 connection to a server that takes no more bytes: a caller gets away from it, and
 * nobody else comes to harm. Where nothing else is said, OkHttp's own client fails these tests on a
 * virtual thread.
 */
@Timeout(60)
class StalledWriteTest {

  private static final Duration PROMPT = Duration.ofMillis(1500);
  private static final int SIBLINGS = 20;

  private FaultServer server;
  private PausingProxy proxy;

  @BeforeEach
  void start() throws IOException {
    server = FaultServer.start(Wire.H2C);
    proxy = new PausingProxy(server.port());
  }

  @AfterEach
  void stop() throws IOException {
    proxy.close();
    server.close();
  }

  private static OkHttpClient client(Duration callTimeout) {
    OkHttpClient stock =
        new OkHttpClient.Builder()
            .protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE))
            .socketFactory(new SmallBuffers())
            .callTimeout(callTimeout)
            .build();
    return Boolean.getBoolean("heddle.okhttp.stock") ? stock : BlockingOkHttpClient.wrap(stock);
  }

  private URI uri(Script script) {
    return server.uri(script);
  }

  /** The way to the server that the proxy can close. */
  private Request through(URI uri) {
    return new Request.Builder()
        .url(uri.toString().replace(":" + server.port(), ":" + proxy.port()))
        .build();
  }

  private static int whole(Call call) throws IOException {
    try (Response response = call.execute()) {
      response.body().bytes();
      return response.code();
    }
  }

  private Seen seen(URI uri) {
    ExecuteTest.await(() -> server.seen(uri).size() == 1);
    return server.seen(uri).get(0);
  }

  /** A body that says when it has been half written: what follows does not fit any buffer. */
  static final class Large extends RequestBody {
    final CountDownLatch begun = new CountDownLatch(1);

    @Override
    public @Nullable MediaType contentType() {
      return null;
    }

    @Override
    public boolean isOneShot() {
      return true;
    }

    @Override
    public void writeTo(BufferedSink sink) throws IOException {
      byte[] piece = new byte[1000];
      for (int i = 0; i < 60; i++) {
        sink.write(piece);
        sink.flush();
        begun.countDown();
      }
    }
  }

  /** Starts a call that stands in a write to the socket, which the whole connection shares. */
  private Caller startStalledUpload(OkHttpClient client, AtomicBoolean flagKept)
      throws InterruptedException {
    proxy.pause(true);
    Large body = new Large();
    Request request = through(uri(Script.ok())).newBuilder().post(body).build();
    Caller caller =
        new Caller(
            () -> {
              try {
                return whole(client.newCall(request));
              } finally {
                flagKept.set(Thread.currentThread().isInterrupted());
              }
            });
    assertTrue(body.begun.await(10, TimeUnit.SECONDS));
    Thread.sleep(300); // for the buffers to fill
    return caller;
  }

  @Test
  void anInterruptHarmsNoSibling() throws Exception {
    OkHttpClient client = client(Duration.ZERO);
    URI first = uri(Script.ok());
    assertEquals(200, whole(client.newCall(through(first))));
    int connection = seen(first).connection();
    List<URI> uris = new ArrayList<>();
    List<Caller> siblings = new ArrayList<>();
    for (int i = 0; i < SIBLINGS; i++) {
      URI uri = uri(Script.ok().body(10_000).fault(Script.Fault.STALL, i % 2 == 0 ? -1 : 5000));
      uris.add(uri);
      siblings.add(new Caller(() -> whole(client.newCall(through(uri)))));
    }
    for (URI each : uris) {
      Seen seen = seen(each);
      ExecuteTest.await(seen::isStalled);
    }
    AtomicBoolean flagKept = new AtomicBoolean();
    Caller upload = startStalledUpload(client, flagKept);

    long start = System.nanoTime();
    upload.thread().interrupt();
    Throwable failure = upload.failure();
    assertTrue(System.nanoTime() - start < PROMPT.toNanos(), "the interrupt took its time");
    assertEquals(InterruptedIOException.class, failure.getClass());
    assertTrue(flagKept.get(), "the flag is lost");

    proxy.pause(false);
    for (URI each : uris) {
      seen(each).release();
    }
    for (Caller each : siblings) {
      assertEquals(200, each.result());
    }
    for (URI each : uris) {
      assertEquals(connection, seen(each).connection());
      assertEquals(1, server.seen(each).size());
    }
  }

  @Test
  void theCallTimeoutEndsAStalledWrite() throws Exception {
    OkHttpClient client = client(Duration.ofMillis(500));
    Call first = client.newCall(through(uri(Script.ok())));
    first.timeout().timeout(30, TimeUnit.SECONDS); // on a busy machine a JVM's first takes long
    assertEquals(200, whole(first));
    long start = System.nanoTime();
    Caller upload = startStalledUpload(client, new AtomicBoolean());
    InterruptedIOException failure =
        assertInstanceOf(InterruptedIOException.class, upload.failure());
    assertEquals("timeout", failure.getMessage());
    assertTrue(System.nanoTime() - start < PROMPT.toNanos() + TimeUnit.SECONDS.toNanos(1));
  }

  @Test
  void theCallTimeoutEndsANameLookUp() {
    CountDownLatch mayEnd = new CountDownLatch(1);
    OkHttpClient stock =
        new OkHttpClient.Builder()
            .callTimeout(Duration.ofMillis(500))
            .dns(
                host -> {
                  try {
                    mayEnd.await(3, TimeUnit.SECONDS);
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                  return List.of(InetAddress.getLoopbackAddress());
                })
            .build();
    OkHttpClient client =
        Boolean.getBoolean("heddle.okhttp.stock") ? stock : BlockingOkHttpClient.wrap(stock);
    long start = System.nanoTime();
    Call call = client.newCall(new Request.Builder().url("http://slow.test/").build());
    Exception failure = null;
    try {
      call.execute();
    } catch (IOException e) {
      failure = e;
    }
    long took = System.nanoTime() - start;
    mayEnd.countDown();
    assertEquals("timeout", assertInstanceOf(InterruptedIOException.class, failure).getMessage());
    assertTrue(took < PROMPT.toNanos() + TimeUnit.MILLISECONDS.toNanos(500), "took " + took);
  }

  /** Nagle's algorithm and delayed acknowledgements make this take 20 s. */
  @Test
  @Timeout(10)
  void aLongUploadDoesNotWaitForAcknowledgements() throws IOException {
    OkHttpClient stock =
        new OkHttpClient.Builder().protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE)).build();
    OkHttpClient client =
        Boolean.getBoolean("heddle.okhttp.stock") ? stock : BlockingOkHttpClient.wrap(stock);
    RequestBody body = RequestBody.create(new byte[16 * 1024 * 1024], null);
    Request request = new Request.Builder().url(uri(Script.ok()).toString()).post(body).build();
    assertEquals(200, whole(client.newCall(request)));
  }

  /** A request that was cancelled while it was sent, and is answered, holds its connection. */
  @Test
  void aCancelAtAnyMomentGivesTheConnectionBack() throws Exception {
    OkHttpClient client = client(Duration.ZERO);
    for (int i = 0; i < 1000; i++) {
      Request request = new Request.Builder().url(uri(Script.ok().body(100)).toString()).build();
      Call call = client.newCall(request);
      Caller caller = new Caller(() -> whole(call));
      LockSupport.parkNanos((i % 100) * 20_000L);
      call.cancel();
      ExecuteTest.await(caller::isDone);
    }
    ExecuteTest.await(
        () ->
            client.connectionPool().idleConnectionCount()
                == client.connectionPool().connectionCount());
  }
}
