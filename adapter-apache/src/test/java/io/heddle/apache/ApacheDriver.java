package io.heddle.apache;

import static io.heddle.conformance.ExpectedFailures.any;
import static io.heddle.conformance.ExpectedFailures.is;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.Call;
import io.heddle.conformance.Client;
import io.heddle.conformance.ClientDriver;
import io.heddle.conformance.ClientSettings;
import io.heddle.conformance.ExpectedFailures;
import io.heddle.conformance.Failure;
import io.heddle.conformance.Wire;
import io.heddle.core.Exchange;
import io.heddle.core.Waiter;
import io.heddle.pinning.PinningReport;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.apache.hc.client5.http.ClientProtocolException;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.client5.http.HttpHostConnectException;
import org.apache.hc.client5.http.impl.classic.RequestFailedException;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.TruncatedChunkException;
import org.apache.hc.core5.http2.H2ConnectionException;
import org.apache.hc.core5.http2.H2StreamResetException;

/** The kit's driver of this adapter. */
public final class ApacheDriver implements ClientDriver {

  private static final ExpectedFailures EXPECTED =
      new ExpectedFailures()
          .with(Failure.REFUSED, is(HttpHostConnectException.class))
          .with(Failure.CONNECT_TIMEOUT, is(ConnectTimeoutException.class))
          .with(Failure.LEASE_TIMEOUT, any(InterruptedIOException.class))
          .with(Failure.READ_TIMEOUT, is(SocketTimeoutException.class))
          .with(Failure.DEADLINE, is(DeadlineExceededException.class))
          .with(Failure.INTERRUPTED, is(InterruptedIOException.class, RequestFailedException.class))
          .with(Failure.CANCELLED, is(RequestFailedException.class, SocketException.class))
          .with(
              Failure.RESET_BEFORE_HEAD,
              is(
                  SocketException.class,
                  NoHttpResponseException.class,
                  H2StreamResetException.class))
          .with(
              Failure.RESET_IN_BODY,
              is(
                  SocketException.class,
                  ConnectionClosedException.class,
                  H2StreamResetException.class))
          .with(
              Failure.TRUNCATED,
              any(ConnectionClosedException.class).or(is(TruncatedChunkException.class)))
          .with(Failure.MALFORMED, is(ClientProtocolException.class))
          .with(Failure.GARBAGE, is(NoHttpResponseException.class))
          .with(Failure.OVERSIZED_HEAD, is(MessageConstraintException.class))
          .with(Failure.UNTRUSTED, any(SSLException.class))
          .with(Failure.UNKNOWN_HOST, is(UnknownHostException.class))
          .with(Failure.GOAWAY, is(NoHttpResponseException.class, H2StreamResetException.class))
          .with(Failure.STREAM_RESET, is(H2StreamResetException.class))
          .with(
              Failure.CLOSED,
              is(
                  ConnectionClosedException.class,
                  ApacheFailures.ShutDown.class,
                  RequestFailedException.class,
                  IllegalStateException.class));

  @Override
  public Client open(ClientSettings settings) {
    return new ApacheClient(settings);
  }

  @Override
  public boolean isExpected(Failure kind, Throwable thrown) {
    return EXPECTED.isExpected(kind, thrown);
  }

  /**
   * Whether core (5.4) has ended the connection, since it had forgotten a stream. It does so 1 s
   * after it has reset that ({@code H2Stream.LINGER_TIME}; RFC 9113, 5.1, lets it), and takes what
   * the server sent before it knew for an error of the connection. A frame takes so long on a
   * machine that has much else to do. A frame that Heddle has put there itself, to reset a stream,
   * is none of these: see {@link Http2Session}.
   */
  public static boolean isOfForgottenStream(Throwable failure) {
    return failure instanceof H2ConnectionException
        && "Stream closed".equals(failure.getMessage())
        && failure.getCause() != null
        && Stream.of(failure.getCause().getStackTrace())
            .noneMatch(
                frame ->
                    frame.getClassName().equals(Http2Session.class.getName())
                        && frame.getMethodName().equals("reset"));
  }

  /**
   * What has pinned, but for a caller that ends its call over TLS as the I/O thread reads there:
   * see {@link ReactorConnection#close(org.apache.hc.core5.io.CloseMode)}.
   */
  public static PinningReport withoutCloses(Wire wire, PinningReport pins) {
    return wire.isTls() && Waiter.MONITORS_HOLD_CARRIERS
        ? pins.ignoring(
            "org\\.apache\\.hc\\.core5\\.io\\.Closer\\.close\\(",
            "before JDK 24 a channel is closed in a monitor, and waits for a read or a write")
        : pins;
  }

  @Override
  public Set<String> onCallersThread() {
    return Set.of(
        "interceptor",
        "exec interceptor",
        "keep-alive strategy",
        "redirect strategy",
        "cookie store",
        "credentials provider",
        "writer",
        "stream");
  }

  @Override
  public boolean isIoThread(Thread thread) {
    return thread instanceof ApacheIoThread;
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
