package io.heddle.jetty;

import static io.heddle.conformance.ExpectedFailures.any;
import static io.heddle.conformance.ExpectedFailures.is;

import io.heddle.DeadlineExceededException;
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
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
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

  /** The call failed, and this is why. */
  private static Predicate<Throwable> dueTo(Predicate<Throwable> why) {
    return thrown -> thrown.getClass() == ExecutionException.class && why.test(thrown.getCause());
  }

  private static final ExpectedFailures EXPECTED =
      new ExpectedFailures()
          .with(Failure.REFUSED, dueTo(is(ConnectException.class)))
          .with(Failure.CONNECT_TIMEOUT, dueTo(is(SocketTimeoutException.class)))
          .with(Failure.LEASE_TIMEOUT, is(TimeoutException.class))
          .with(
              Failure.READ_TIMEOUT,
              dueTo(is(TimeoutException.class)).or(is(SocketTimeoutException.class)))
          .with(
              Failure.DEADLINE,
              dueTo(is(TimeoutException.class)).or(is(DeadlineExceededException.class)))
          .with(Failure.INTERRUPTED, is(InterruptedException.class, InterruptedIOException.class))
          .with(
              Failure.CANCELLED,
              dueTo(is(CancellationException.class))
                  .or(
                      thrown ->
                          thrown.getClass() == IOException.class
                              && thrown.getCause() instanceof CancellationException))
          .with(Failure.RESET_BEFORE_HEAD, dueTo(any(IOException.class)))
          .with(
              Failure.RESET_IN_BODY,
              is(
                  SocketException.class,
                  EOFException.class,
                  ClosedChannelException.class,
                  IOException.class))
          .with(Failure.TRUNCATED, is(EOFException.class))
          .with(Failure.GARBAGE, dueTo(is(HttpResponseException.class)))
          // The second where Java runs with -ea: an assertion in Jetty's HttpException.
          .with(
              Failure.OVERSIZED_HEAD, dueTo(is(HttpResponseException.class, AssertionError.class)))
          .with(Failure.UNTRUSTED, dueTo(any(SSLException.class)))
          .with(Failure.UNKNOWN_HOST, dueTo(is(UnknownHostException.class)))
          .with(Failure.GOAWAY, dueTo(any(IOException.class)))
          .with(Failure.STREAM_RESET, dueTo(any(IOException.class)).or(is(IOException.class)))
          .with(
              Failure.CLOSED,
              dueTo(any(ClosedChannelException.class))
                  .or(dueTo(is(EofException.class, RejectedExecutionException.class)))
                  .or(is(AsynchronousCloseException.class, ClosedChannelException.class)));

  @Override
  public Client open(ClientSettings settings) throws Exception {
    return new JettyClient(settings);
  }

  @Override
  public boolean isExpected(Failure kind, Throwable thrown) {
    return EXPECTED.isExpected(kind, thrown);
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
