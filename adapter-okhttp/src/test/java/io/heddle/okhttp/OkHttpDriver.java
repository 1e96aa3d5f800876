package io.heddle.okhttp;

import io.heddle.conformance.Call;
import io.heddle.conformance.Client;
import io.heddle.conformance.ClientDriver;
import io.heddle.conformance.ClientSettings;
import io.heddle.conformance.Failure;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import javax.net.ssl.SSLException;
import okhttp3.internal.http2.ConnectionShutdownException;
import okhttp3.internal.http2.StreamResetException;
import okio.AsyncTimeout;

/** The kit's driver of this adapter. */
public final class OkHttpDriver implements ClientDriver {

  private static final Map<Failure, Predicate<Throwable>> EXPECTED = new EnumMap<>(Failure.class);

  private static void expect(Failure kind, Predicate<Throwable> test) {
    EXPECTED.put(kind, test);
  }

  @SafeVarargs
  private static Predicate<Throwable> is(Class<? extends Throwable>... classes) {
    return thrown -> {
      for (Class<? extends Throwable> each : classes) {
        if (thrown.getClass() == each) {
          return true;
        }
      }
      return false;
    };
  }

  private static Predicate<Throwable> is(Class<? extends Throwable> type, String message) {
    return is(type).and(thrown -> String.valueOf(thrown.getMessage()).startsWith(message));
  }

  static {
    expect(Failure.REFUSED, is(ConnectException.class));
    expect(Failure.CONNECT_TIMEOUT, is(SocketTimeoutException.class));
    expect(Failure.LEASE_TIMEOUT, is(SocketTimeoutException.class, "too many calls"));
    expect(Failure.READ_TIMEOUT, is(SocketTimeoutException.class));
    expect(Failure.DEADLINE, is(InterruptedIOException.class, "timeout"));
    expect(Failure.INTERRUPTED, is(InterruptedIOException.class, "interrupted"));
    Predicate<Throwable> cancelled =
        is(IOException.class, "Canceled")
            .or(is(IOException.class, "canceled"))
            .or(is(SocketException.class, "Socket closed"))
            .or(is(StreamResetException.class, "stream was reset: CANCEL"));
    expect(Failure.CANCELLED, cancelled);
    expect(
        Failure.RESET_BEFORE_HEAD,
        is(SocketException.class)
            .or(is(StreamResetException.class))
            .or(is(IOException.class, "unexpected end of stream")));
    expect(Failure.RESET_IN_BODY, is(SocketException.class, StreamResetException.class));
    expect(Failure.TRUNCATED, is(ProtocolException.class, EOFException.class));
    expect(Failure.GARBAGE, is(ProtocolException.class));
    expect(Failure.OVERSIZED_HEAD, is(IOException.class));
    expect(Failure.UNTRUSTED, SSLException.class::isInstance);
    expect(Failure.UNKNOWN_HOST, is(UnknownHostException.class));
    expect(Failure.GOAWAY, is(StreamResetException.class, ConnectionShutdownException.class));
    expect(Failure.STREAM_RESET, is(StreamResetException.class));
    expect(
        Failure.CLOSED,
        cancelled
            .or(is(IOException.class, "the client is closed"))
            .or(is(UnknownHostException.class, "slow.heddle.test: the client is closed")));
  }

  @Override
  public Client open(ClientSettings settings) {
    return new KitClient(settings);
  }

  @Override
  public boolean isExpected(Failure kind, Throwable thrown) {
    Predicate<Throwable> test = EXPECTED.get(kind);
    return test != null && test.test(thrown);
  }

  @Override
  public boolean isIoThread(Thread thread) {
    return OkHttpFailures.isWatchdog(thread);
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
    return thread.startsWith("OkHttp TaskRunner")
        || thread.startsWith("OkHttp ConnectionPool")
        || thread.startsWith("Okio Watchdog");
  }
}
