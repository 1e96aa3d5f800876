package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.client5.http.ssl.HostnameVerificationPolicy;
import org.apache.hc.client5.http.ssl.NoopHostnameVerifier;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.ssl.SSLContexts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Over HTTP/1.1 without TLS a caller sends its request itself: no I/O thread is asked. It hangs on
 * what the engine does when it is told that there is room for output, see {@link ApacheInternals}.
 */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class CallerSendsTest {

  private static CompletableFuture<Integer> start(
      CloseableHttpClient client, ClassicHttpRequest request) {
    CompletableFuture<Integer> status = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                status.complete(
                    client.execute(
                        request,
                        response -> {
                          EntityUtils.consume(response.getEntity());
                          return response.getCode();
                        }));
              } catch (IOException | RuntimeException e) {
                status.completeExceptionally(e);
              }
            });
    return status;
  }

  private static int get(CompletableFuture<Integer> status) throws Exception {
    return status.get(20, TimeUnit.SECONDS);
  }

  private static SSLContext trusting() throws GeneralSecurityException {
    return SSLContexts.custom().loadTrustMaterial((chain, type) -> true).build();
  }

  private static CloseableHttpClient client(BlockingConnectionManager manager) {
    return BlockingHttpClients.custom()
        .setConnectionManager(manager)
        .disableAutomaticRetries()
        .build();
  }

  @Test
  void requestsAreSentWhileTheIoThreadIsBusy() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    DefaultClientTlsStrategy tls =
        new DefaultClientTlsStrategy(
            trusting(),
            HostnameVerificationPolicy.CLIENT,
            (host, session) -> {
              busy.countDown();
              try {
                return goOn.await(40, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                return false;
              }
            });
    try (FaultServer plain = FaultServer.start(Wire.HTTP_1_1);
        FaultServer secure = FaultServer.start(Wire.HTTP_1_1_TLS);
        BlockingConnectionManager manager =
            BlockingConnectionManager.builder().setIoThreadCount(1).setTlsStrategy(tls).build();
        CloseableHttpClient client = client(manager)) {
      URI first = plain.uri(Script.ok());
      URI second = plain.uri(Script.ok());
      URI third = plain.uri(Script.ok());
      CompletableFuture<Integer> opened = start(client, new HttpGet(first));
      CompletableFuture<Integer> alsoOpened = start(client, new HttpGet(first));
      assertEquals(200, get(opened));
      assertEquals(200, get(alsoOpened));
      assertEquals(2, manager.getTotalStats().getAvailable());
      CompletableFuture<Integer> securing = start(client, new HttpGet(secure.uri(Script.ok())));
      assertTrue(busy.await(20, TimeUnit.SECONDS));
      CompletableFuture<Integer> sent = start(client, new HttpGet(second));
      HttpPost post = new HttpPost(third);
      post.setEntity(new ByteArrayEntity(new byte[20_000], null));
      CompletableFuture<Integer> posted = start(client, post);
      Threads.await("the server has the GET", () -> !plain.seen(second).isEmpty());
      Threads.await("the server has the POST", () -> !plain.seen(third).isEmpty());
      goOn.countDown();
      assertEquals(200, get(sent));
      assertEquals(200, get(posted));
      assertEquals(200, get(securing));
    } finally {
      goOn.countDown();
    }
  }

  /** Of the two threads that write, the caller alone is a virtual one. */
  @ParameterizedTest
  @CsvSource({"HTTP_1_1, true", "HTTP_1_1_TLS, false"})
  void longWritesAreSentFromTheCallersArray(Wire wire, boolean byTheCaller, @TempDir Path dir)
      throws Exception {
    Path written = dir.resolve("written.jfr");
    try (FaultServer server = FaultServer.start(wire);
        BlockingConnectionManager manager =
            BlockingConnectionManager.builder()
                .setTlsStrategy(
                    new DefaultClientTlsStrategy(trusting(), NoopHostnameVerifier.INSTANCE))
                .build();
        CloseableHttpClient client = client(manager);
        Recording writes = new Recording()) {
      writes.enable("jdk.SocketWrite").withThreshold(Duration.ZERO);
      HttpPost post = new HttpPost(server.uri(Script.ok()));
      post.setEntity(new ByteArrayEntity(new byte[1_000_000], null));
      assertEquals(200, get(start(client, new HttpGet(server.uri(Script.ok())))));
      writes.start();
      assertEquals(200, get(start(client, post)));
      writes.stop();
      writes.dump(written);
    }
    assertEquals(
        byTheCaller,
        RecordingFile.readAllEvents(written).stream()
            .anyMatch(
                write ->
                    write.getEventType().getName().equals("jdk.SocketWrite")
                        && write.getLong("bytesWritten") > 16 * 1024 // what a queue gives
                        && write.getThread("eventThread").isVirtual()));
  }
}
