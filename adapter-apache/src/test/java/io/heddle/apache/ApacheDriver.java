package io.heddle.apache;

import io.heddle.DeadlineExceededException;
import io.heddle.Exchange;
import io.heddle.conformance.Call;
import io.heddle.conformance.Client;
import io.heddle.conformance.ClientDriver;
import io.heddle.conformance.ClientSettings;
import io.heddle.conformance.Failure;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import javax.net.ssl.SSLException;
import org.apache.hc.client5.http.ClientProtocolException;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.client5.http.HttpHostConnectException;
import org.apache.hc.client5.http.impl.classic.RequestFailedException;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http2.H2StreamResetException;

/** The kit's driver of this adapter. */
public final class ApacheDriver implements ClientDriver {

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

  private static Predicate<Throwable> any(Class<? extends Throwable> supertype) {
    return supertype::isInstance;
  }

  static {
    expect(Failure.REFUSED, is(HttpHostConnectException.class));
    expect(Failure.CONNECT_TIMEOUT, is(ConnectTimeoutException.class));
    expect(Failure.LEASE_TIMEOUT, any(InterruptedIOException.class));
    expect(Failure.READ_TIMEOUT, is(SocketTimeoutException.class));
    expect(Failure.DEADLINE, is(DeadlineExceededException.class));
    expect(Failure.INTERRUPTED, is(InterruptedIOException.class, RequestFailedException.class));
    expect(Failure.CANCELLED, is(RequestFailedException.class, SocketException.class));
    expect(
        Failure.RESET_BEFORE_HEAD,
        is(SocketException.class, NoHttpResponseException.class, H2StreamResetException.class));
    expect(
        Failure.RESET_IN_BODY,
        is(SocketException.class, ConnectionClosedException.class, H2StreamResetException.class));
    expect(Failure.TRUNCATED, any(ConnectionClosedException.class));
    expect(Failure.GARBAGE, is(ClientProtocolException.class));
    expect(Failure.OVERSIZED_HEAD, is(MessageConstraintException.class));
    expect(Failure.UNTRUSTED, any(SSLException.class));
    expect(Failure.UNKNOWN_HOST, is(UnknownHostException.class));
    expect(Failure.GOAWAY, is(NoHttpResponseException.class, H2StreamResetException.class));
    expect(Failure.STREAM_RESET, is(H2StreamResetException.class));
    expect(
        Failure.CLOSED,
        is(
            ConnectionClosedException.class,
            ApacheFailures.ShutDown.class,
            RequestFailedException.class,
            IllegalStateException.class));
  }

  @Override
  public Client open(ClientSettings settings) {
    return new ApacheClient(settings);
  }

  @Override
  public boolean isExpected(Failure kind, Throwable thrown) {
    Predicate<Throwable> test = EXPECTED.get(kind);
    return test != null && test.test(thrown);
  }

  @Override
  public boolean isIoThread(Thread thread) {
    return thread instanceof IoReactorThread;
  }

  /** A check of a leased connection ends on its I/O thread; a cancelled one in the disposer. */
  @Override
  public void onIoThread(Client client, Call call, Runnable work) throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    Exchange<Boolean> check =
        new Exchange<>(
            late -> {
              try {
                work.run();
              } finally {
                done.countDown();
              }
            });
    check.cancel();
    ((ApacheClient) client).withConnection(call.uri(), connection -> connection.checkAlive(check));
    done.await();
  }
}
