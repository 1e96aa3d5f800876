package io.heddle.jdk;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import io.heddle.core.Deadline;
import java.io.IOException;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The deadline wakes a caller by an interrupt too, which is not to be mixed up with another's. */
@Timeout(60)
class InterruptAndDeadlineTest {

  /** Interrupts the thread that sends, and does not let it go on until the deadline is over. */
  private static final class Interrupts extends ProxySelector {
    private final Object gate = new Object();
    private volatile boolean interrupted;

    @Override
    public List<Proxy> select(URI uri) {
      boolean sends =
          StackWalker.getInstance()
              .walk(frames -> frames.anyMatch(each -> each.getClassName().contains(".net.http.")));
      if (sends && !interrupted) {
        interrupted = true;
        Thread.currentThread().interrupt();
        synchronized (gate) { // a wait that leaves the flag alone, as that for a lock does not
          return List.of(Proxy.NO_PROXY);
        }
      }
      return List.of(Proxy.NO_PROXY);
    }

    @Override
    public void connectFailed(URI uri, SocketAddress address, IOException failure) {}
  }

  @Test
  void anInterruptThatCameBeforeTheDeadlineIsNotLost() throws Exception {
    Interrupts interrupts = new Interrupts();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      BlockingJdkHttpClient client =
          BlockingJdkHttpClient.wrap(HttpClient.newBuilder().proxy(interrupts).build());
      HttpRequest get =
          HttpRequest.newBuilder(server.uri(Script.ok().fault(Script.Fault.STALL)))
              .timeout(Duration.ofMillis(300))
              .build();
      CompletableFuture<Boolean> kept;
      synchronized (interrupts.gate) {
        kept = Clients.start(() -> isInterruptKept(client, get));
        Thread.sleep(1000);
      }
      assertTrue(kept.get(20, TimeUnit.SECONDS));
      assertTrue(interrupts.interrupted);
    }
  }

  /** By whichever of the two the call ended. */
  private static boolean isInterruptKept(HttpClient client, HttpRequest get) {
    try {
      client.send(get, HttpResponse.BodyHandlers.ofString());
      return false;
    } catch (InterruptedException e) {
      return true;
    } catch (IOException e) {
      return Thread.currentThread().isInterrupted();
    }
  }

  /** The alarm rings while the wrapped client is about to refuse the call. */
  @Test
  void theAlarmsInterruptIsNotLeftBehindByARefusal() throws Exception {
    ProxySelector refuses =
        new ProxySelector() {
          @Override
          public List<Proxy> select(URI uri) {
            boolean sends =
                StackWalker.getInstance()
                    .walk(
                        frames ->
                            frames.anyMatch(each -> each.getClassName().contains(".net.http.")));
            if (sends) {
              LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(30)); // until the alarm
              throw new IllegalArgumentException("refused");
            }
            return List.of(Proxy.NO_PROXY);
          }

          @Override
          public void connectFailed(URI uri, SocketAddress address, IOException failure) {}
        };
    BlockingJdkHttpClient client =
        BlockingJdkHttpClient.wrap(HttpClient.newBuilder().proxy(refuses).build());
    HttpRequest get =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:1/"))
            .timeout(Duration.ofMillis(300))
            .build();
    CompletableFuture<Boolean> left =
        Clients.start(
            () -> {
              assertThrows(
                  IllegalArgumentException.class,
                  () -> client.send(get, HttpResponse.BodyHandlers.ofString()));
              return Thread.currentThread().isInterrupted();
            });
    assertFalse(left.get(20, TimeUnit.SECONDS));
  }

  @Test
  void eachReadBeyondTheDeadlineSaysWhichItWas() {
    IOException again = JdkFailures.again(JdkFailures.over(null));
    assertInstanceOf(DeadlineExceededException.class, again.getCause());
  }

  /** The JDK refuses a timeout of zero, and not as a timeout. */
  @Test
  void aDeadlineThatIsOverAsTheRequestIsReadIsATimeout() throws Exception {
    HttpRequest get = HttpRequest.newBuilder(URI.create("http://localhost/")).build();
    try (BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(HttpClient.newHttpClient())) {
      JdkCall<Void> call = new JdkCall<>(client, get, HttpResponse.BodyHandlers.discarding(), null);
      JdkExchange<Void> exchange =
          new JdkExchange<>(call, call.origin.enter(Deadline.none()), false);
      SentRequest sent = new SentRequest(get, Deadline.afterNanos(0), exchange, true);
      assertFalse(sent.timeout().orElseThrow().isZero());
    }
  }

  static List<IOException> ofTheTimer() {
    return List.of(
        new HttpTimeoutException("request timed out"),
        new IOException(
            "fixed content-length: 1000, bytes received: 916",
            new IOException("connection closed locally")));
  }

  /** The client's own timer may ring at the moment of the head, and then fails the body. */
  @ParameterizedTest
  @MethodSource("ofTheTimer")
  void aBodyThatTheClientsTimerEndsSaysThatItWasTheDeadline(IOException found) throws Exception {
    HttpRequest get =
        HttpRequest.newBuilder(URI.create("http://localhost/"))
            .timeout(Duration.ofNanos(1))
            .build();
    try (BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(HttpClient.newHttpClient())) {
      JdkCall<Void> call = new JdkCall<>(client, get, HttpResponse.BodyHandlers.discarding(), null);
      JdkExchange<Void> exchange =
          new JdkExchange<>(call, call.origin.enter(Deadline.none()), false);
      Throwable told = exchange.failureOfBody(found);
      assertInstanceOf(DeadlineExceededException.class, told.getCause());
    }
  }
}
