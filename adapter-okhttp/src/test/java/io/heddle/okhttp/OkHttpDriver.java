package io.heddle.okhttp;

import static io.heddle.conformance.ExpectedFailures.any;
import static io.heddle.conformance.ExpectedFailures.is;

import io.heddle.conformance.Call;
import io.heddle.conformance.Client;
import io.heddle.conformance.ClientDriver;
import io.heddle.conformance.ClientSettings;
import io.heddle.conformance.ExpectedFailures;
import io.heddle.conformance.Failure;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLException;
import okhttp3.internal.http2.ConnectionShutdownException;
import okhttp3.internal.http2.StreamResetException;
import okio.AsyncTimeout;

/** The kit's driver of this adapter. */
public class OkHttpDriver implements ClientDriver {

  private static final Predicate<Throwable> CANCELLED =
      is(IOException.class, "Canceled")
          .or(is(IOException.class, "canceled"))
          .or(is(SocketException.class, "Socket closed"))
          .or(is(SocketException.class, "Socket is closed")) // just after it was opened
          .or(is(IOException.class, "stream closed")) // who writes to it
          .or(is(StreamResetException.class, "stream was reset: CANCEL"));

  private static final ExpectedFailures EXPECTED =
      new ExpectedFailures()
          .with(Failure.REFUSED, is(ConnectException.class))
          .with(Failure.CONNECT_TIMEOUT, is(SocketTimeoutException.class))
          .with(Failure.LEASE_TIMEOUT, is(SocketTimeoutException.class, "too many calls"))
          .with(Failure.READ_TIMEOUT, is(SocketTimeoutException.class))
          .with(Failure.DEADLINE, is(InterruptedIOException.class, "timeout"))
          .with(Failure.INTERRUPTED, is(InterruptedIOException.class, "interrupted"))
          .with(Failure.CANCELLED, CANCELLED)
          .with(
              Failure.RESET_BEFORE_HEAD,
              is(SocketException.class)
                  .or(is(StreamResetException.class))
                  .or(is(IOException.class, "unexpected end of stream"))
                  // HTTP/2, whose reader closed the connection before the request had ended
                  .or(is(IOException.class, "closed"))
                  // … or its stream
                  .or(is(IOException.class, "stream closed"))
                  // the end came in the handshake, of which OkHttp asks what there is not
                  .or(is(IOException.class, "cipherSuite == SSL_NULL_WITH_NULL_NULL"))
                  // … or before the server's first frame
                  .or(is(IOException.class, "Required SETTINGS preface not received")))
          .with(Failure.RESET_IN_BODY, is(SocketException.class, StreamResetException.class))
          .with(Failure.TRUNCATED, is(ProtocolException.class, EOFException.class))
          .with(Failure.GARBAGE, is(ProtocolException.class))
          .with(Failure.OVERSIZED_HEAD, is(IOException.class))
          .with(Failure.UNTRUSTED, any(SSLException.class))
          .with(Failure.UNKNOWN_HOST, is(UnknownHostException.class))
          .with(Failure.GOAWAY, is(StreamResetException.class, ConnectionShutdownException.class))
          .with(
              Failure.STREAM_RESET,
              is(StreamResetException.class).or(is(IOException.class, "stream closed")))
          .with(
              Failure.CLOSED,
              CANCELLED
                  .or(is(IOException.class, "the client is closed"))
                  .or(is(UnknownHostException.class, "slow.heddle.test: the client is closed")));

  @Override
  public Client open(ClientSettings settings) {
    return new KitClient(settings, UnaryOperator.identity());
  }

  @Override
  public boolean isExpected(Failure kind, Throwable thrown) {
    return EXPECTED.isExpected(kind, thrown);
  }

  @Override
  public Set<String> onCallersThread() {
    return Set.of(
        "interceptor",
        "network interceptor",
        "listener",
        "cookie jar",
        "authenticator",
        "writer",
        "stream");
  }

  @Override
  public boolean isIoThread(Thread thread) {
    return OkHttpInternals.isWatchdog(thread);
  }

  /** The only thread of OkHttp's that runs user code and that others depend on. */
  @Override
  public void onIoThread(Client client, Call call, Runnable work) throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    AsyncTimeout timeout =
        new AsyncTimeout() {
          @Override
          protected void timedOut() {
            try {
              work.run();
            } finally {
              done.countDown();
            }
          }
        };
    timeout.timeout(1, TimeUnit.MILLISECONDS);
    timeout.enter();
    done.await();
  }

  /** OkHttp's and okio's own, of which there is one set for the JVM, named after what they do. */
  @Override
  public boolean outlivesClients(String thread) {
    // A thread of the TaskRunner keeps the name of its last task for a while. What a task of a
    // connection that is left would hold, the kit sees by its socket.
    return (thread.startsWith("OkHttp ") && !thread.startsWith("OkHttp Dispatcher"))
        || thread.startsWith("Okio Watchdog");
  }
}
