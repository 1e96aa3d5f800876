package io.heddle.jetty;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.Call;
import io.heddle.conformance.Client;
import io.heddle.conformance.ClientDriver;
import io.heddle.conformance.ClientSettings;
import io.heddle.conformance.Failure;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import javax.net.ssl.SSLException;
import org.eclipse.jetty.client.HttpResponseException;
import org.eclipse.jetty.io.EofException;

/** The kit's driver of this adapter. */
public final class JettyDriver implements ClientDriver {

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

  /** The call failed, and this is why. */
  private static Predicate<Throwable> dueTo(Predicate<Throwable> why) {
    return thrown -> thrown.getClass() == ExecutionException.class && why.test(thrown.getCause());
  }

  private static Predicate<Throwable> any(Class<? extends Throwable> supertype) {
    return supertype::isInstance;
  }

  static {
    expect(Failure.REFUSED, dueTo(is(ConnectException.class)));
    expect(Failure.CONNECT_TIMEOUT, dueTo(is(SocketTimeoutException.class)));
    expect(Failure.LEASE_TIMEOUT, is(TimeoutException.class));
    expect(
        Failure.READ_TIMEOUT,
        dueTo(is(TimeoutException.class)).or(is(SocketTimeoutException.class)));
    expect(
        Failure.DEADLINE,
        dueTo(is(TimeoutException.class)).or(is(DeadlineExceededException.class)));
    expect(Failure.INTERRUPTED, is(InterruptedException.class, InterruptedIOException.class));
    expect(
        Failure.CANCELLED,
        dueTo(is(CancellationException.class))
            .or(
                thrown ->
                    thrown.getClass() == IOException.class
                        && thrown.getCause() instanceof CancellationException));
    expect(Failure.RESET_BEFORE_HEAD, dueTo(any(IOException.class)));
    expect(
        Failure.RESET_IN_BODY,
        is(
            SocketException.class,
            EOFException.class,
            ClosedChannelException.class,
            IOException.class));
    expect(Failure.TRUNCATED, is(EOFException.class));
    expect(Failure.GARBAGE, dueTo(is(HttpResponseException.class)));
    // The second where Java runs with -ea: an assertion in Jetty's HttpException.
    expect(Failure.OVERSIZED_HEAD, dueTo(is(HttpResponseException.class, AssertionError.class)));
    expect(Failure.UNTRUSTED, dueTo(any(SSLException.class)));
    expect(Failure.UNKNOWN_HOST, dueTo(is(UnknownHostException.class)));
    expect(Failure.GOAWAY, dueTo(any(IOException.class)));
    expect(Failure.STREAM_RESET, dueTo(any(IOException.class)).or(is(IOException.class)));
    expect(
        Failure.CLOSED,
        dueTo(any(ClosedChannelException.class))
            .or(dueTo(is(EofException.class, RejectedExecutionException.class)))
            .or(is(AsynchronousCloseException.class, ClosedChannelException.class)));
  }

  @Override
  public Client open(ClientSettings settings) throws Exception {
    return new JettyClient(settings);
  }

  @Override
  public boolean isExpected(Failure kind, Throwable thrown) {
    Predicate<Throwable> test = EXPECTED.get(kind);
    return test != null && test.test(thrown);
  }

  @Override
  public boolean isIoThread(Thread thread) {
    return thread instanceof JettyIoThread;
  }

  @Override
  public void onIoThread(Client client, Call call, Runnable work) throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    ((JettyClient) client)
        .client()
        .getExecutor()
        .execute(
            () -> {
              try {
                work.run();
              } finally {
                done.countDown();
              }
            });
    done.await();
  }
}
