package io.heddle.jdk;

import static io.heddle.conformance.ExpectedFailures.any;
import static io.heddle.conformance.ExpectedFailures.is;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.Call;
import io.heddle.conformance.Client;
import io.heddle.conformance.ClientDriver;
import io.heddle.conformance.ClientSettings;
import io.heddle.conformance.ExpectedFailures;
import io.heddle.conformance.Failure;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpTimeoutException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

/** The kit's driver of this adapter. */
public final class JdkDriver implements ClientDriver {

  /**
   * The end of a connection of TLS, at times, long after its handshake: {@code SSLTube} takes a TLS
   * engine that has something to say for one that shakes hands.
   */
  private static final Predicate<Throwable> IN_NO_HANDSHAKE =
      is(SSLHandshakeException.class, "Remote host terminated the handshake");

  private static final ExpectedFailures EXPECTED =
      new ExpectedFailures()
          .with(Failure.REFUSED, is(ConnectException.class))
          .with(Failure.CONNECT_TIMEOUT, is(HttpConnectTimeoutException.class))
          .with(Failure.LEASE_TIMEOUT, is(HttpConnectTimeoutException.class, "no place at"))
          .with(Failure.READ_TIMEOUT, is(HttpTimeoutException.class))
          .with(Failure.DEADLINE, JdkDriver::isDeadline)
          .with(Failure.INTERRUPTED, is(InterruptedException.class, InterruptedIOException.class))
          .with(
              Failure.CANCELLED,
              is(InterruptedException.class, InterruptedIOException.class)
                  .or(is(IOException.class, "closed")))
          .with(Failure.RESET_BEFORE_HEAD, is(IOException.class).or(IN_NO_HANDSHAKE))
          .with(Failure.RESET_IN_BODY, is(IOException.class))
          .with(Failure.TRUNCATED, is(IOException.class))
          .with(Failure.MALFORMED, is(IOException.class, ProtocolException.class))
          .with(Failure.GARBAGE, is(IOException.class, ProtocolException.class))
          .with(Failure.OVERSIZED_HEAD, is(IOException.class, ProtocolException.class))
          .with(Failure.UNTRUSTED, any(SSLException.class))
          .with(Failure.UNKNOWN_HOST, is(ConnectException.class))
          .with(Failure.GOAWAY, is(IOException.class))
          .with(Failure.REFUSED_STREAM, is(IOException.class))
          .with(Failure.STREAM_RESET, is(IOException.class))
          .with(Failure.CLOSED, is(IOException.class));

  private static boolean isDeadline(Throwable thrown) {
    boolean deadline = false;
    for (Throwable each = thrown; each != null; each = each.getCause()) {
      deadline |= each instanceof DeadlineExceededException;
    }
    return deadline && thrown instanceof HttpTimeoutException;
  }

  @Override
  public Client open(ClientSettings settings) {
    return new KitClient(settings);
  }

  @Override
  public boolean isExpected(Failure kind, Throwable thrown) {
    return EXPECTED.isExpected(kind, thrown);
  }

  /** The JDK runs no user code there but what it comes by. */
  @Override
  public Set<String> onCallersThread() {
    return Set.of();
  }

  @Override
  public boolean isIoThread(Thread thread) {
    return JdkInternals.isSelector(thread);
  }

  /**
   * Where an executor runs what it gets on the thread that gives it. That is the selector, but for
   * an answer that comes while the caller is still at work within the client.
   */
  @Override
  public void onIoThread(Client client, Call call, Runnable work) throws Exception {
    ClientSettings settings = ((KitClient) client).settings();
    for (int tries = 0; tries < 20; tries++) {
      HttpClient inline = KitClient.stock(settings).executor(Runnable::run).build();
      CompletableFuture<Boolean> done = new CompletableFuture<>();
      try {
        var unused =
            inline.sendAsync(
                HttpRequest.newBuilder(call.uri()).build(),
                info -> {
                  boolean there = isIoThread(Thread.currentThread());
                  if (there) {
                    work.run();
                  }
                  done.complete(there);
                  return BodySubscribers.discarding();
                });
        if (done.get(30, TimeUnit.SECONDS)) {
          return;
        }
      } finally {
        inline.shutdownNow();
      }
    }
    throw new AssertionError("twenty answers came on the caller's thread");
  }

  @Override
  public boolean outlivesClients(String thread) {
    return thread.equals("heddle-jdk-timer") // one for the JVM
        || thread.startsWith("CompletableFutureDelay") // the JDK's
        || thread.startsWith("ForkJoinPool");
  }
}
