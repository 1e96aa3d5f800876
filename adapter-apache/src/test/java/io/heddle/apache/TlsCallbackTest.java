package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.client5.http.ssl.HostnameVerificationPolicy;
import org.apache.hc.core5.http.nio.ssl.TlsStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Code of the user's that TLS calls, on an I/O thread, may throw anything: it ends its own call.
 */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class TlsCallbackTest {

  /** What the callback throws when it is next called. */
  private final AtomicReference<Throwable> thrown = new AtomicReference<>();

  private void throwIt() {
    Throwable now = thrown.getAndSet(null);
    if (now instanceof Error error) {
      throw error;
    }
    if (now instanceof RuntimeException runtime) {
      throw runtime;
    }
  }

  private final class Trust extends X509ExtendedTrustManager {
    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
      throwIt();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  private TlsStrategy withTrustManager() throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new Trust()}, null);
    return new DefaultClientTlsStrategy(
        context, HostnameVerificationPolicy.CLIENT, (host, session) -> true);
  }

  private TlsStrategy withVerifier() throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new Trust()}, null);
    HostnameVerifier verifier =
        (host, session) -> {
          throwIt();
          return true;
        };
    return new DefaultClientTlsStrategy(context, HostnameVerificationPolicy.CLIENT, verifier);
  }

  private static int get(CloseableHttpClient client, URI uri) throws IOException {
    return client.execute(new HttpGet(uri), response -> response.getCode());
  }

  private void assertThatOthersGoOn(TlsStrategy tls, Throwable toBeThrown) throws Exception {
    try (FaultServer plain = FaultServer.start(Wire.HTTP_1_1);
        FaultServer secure = FaultServer.start(Wire.H2_TLS);
        BlockingConnectionManager manager =
            BlockingConnectionManager.builder().setIoThreadCount(1).setTlsStrategy(tls).build();
        CloseableHttpClient client =
            BlockingHttpClients.custom()
                .setConnectionManager(manager)
                .disableAutomaticRetries()
                .build()) {
      URI stalled = plain.uri(Script.ok().fault(Script.Fault.STALL));
      CompletableFuture<Integer> other = new CompletableFuture<>();
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  other.complete(get(client, stalled));
                } catch (IOException e) {
                  other.completeExceptionally(e);
                }
              });
      Threads.await("another call is under way", () -> !plain.seen(stalled).isEmpty());
      thrown.set(toBeThrown);
      IOException failure =
          assertThrows(IOException.class, () -> get(client, secure.uri(Script.ok())));
      assertSame(toBeThrown, rootOf(failure));
      plain.seen(stalled).get(0).release();
      assertEquals(200, other.get(20, TimeUnit.SECONDS));
      assertEquals(200, get(client, secure.uri(Script.ok())));
    }
  }

  private static Throwable rootOf(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  @Test
  void aHostnameVerifierThatThrowsEndsItsOwnCall() throws Exception {
    assertThatOthersGoOn(withVerifier(), new NoClassDefFoundError("com/example/Missing"));
    assertThatOthersGoOn(withVerifier(), new IllegalStateException("a bug"));
  }

  @Test
  void aTrustManagerThatThrowsEndsItsOwnCall() throws Exception {
    assertThatOthersGoOn(withTrustManager(), new NoClassDefFoundError("com/example/Missing"));
    assertThatOthersGoOn(withTrustManager(), new IllegalStateException("a bug"));
  }

  /** The engine ends its loop when the thread is interrupted; the next call has another. */
  @Test
  void aReactorWhoseThreadIsGoneIsReplaced() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingConnectionManager manager =
            BlockingConnectionManager.builder().setIoThreadCount(1).build();
        CloseableHttpClient client =
            BlockingHttpClients.custom().setConnectionManager(manager).build()) {
      CompletableFuture<Thread> ioThread = new CompletableFuture<>();
      URI uri = server.uri(Script.ok());
      assertEquals(200, get(client, uri));
      Thread.getAllStackTraces().keySet().stream()
          .filter(ApacheIoThread.class::isInstance)
          .forEach(ioThread::complete);
      Thread gone = ioThread.get(1, TimeUnit.SECONDS);
      gone.interrupt();
      gone.join();
      assertEquals(200, get(client, uri));
      assertEquals(200, get(client, uri));
      assertEquals(0, manager.leases());
    }
  }
}
