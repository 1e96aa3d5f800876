package io.heddle.ahc;

import static io.heddle.conformance.ExpectedFailures.any;
import static io.heddle.conformance.ExpectedFailures.is;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.Call;
import io.heddle.conformance.Client;
import io.heddle.conformance.ClientDriver;
import io.heddle.conformance.ClientSettings;
import io.heddle.conformance.ExpectedFailures;
import io.heddle.conformance.Failure;
import io.netty.channel.ConnectTimeoutException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import javax.net.ssl.SSLException;
import org.asynchttpclient.exception.TooManyConnectionsException;
import org.asynchttpclient.exception.TooManyConnectionsPerHostException;

/** The kit's driver of this adapter. */
public final class AhcDriver implements ClientDriver {

  private static final ExpectedFailures EXPECTED =
      new ExpectedFailures()
          .with(Failure.REFUSED, is(ConnectException.class))
          .with(Failure.CONNECT_TIMEOUT, is(ConnectTimeoutException.class))
          .with(
              Failure.LEASE_TIMEOUT,
              is(TooManyConnectionsException.class, TooManyConnectionsPerHostException.class))
          .with(Failure.READ_TIMEOUT, is(SocketTimeoutException.class))
          .with(Failure.DEADLINE, is(DeadlineExceededException.class))
          .with(Failure.INTERRUPTED, is(InterruptedException.class, InterruptedIOException.class))
          .with(Failure.CANCELLED, is(SocketException.class, "the call was cancelled"))
          .with(Failure.RESET_BEFORE_HEAD, is(SocketException.class))
          .with(Failure.RESET_IN_BODY, is(SocketException.class))
          .with(Failure.TRUNCATED, is(SocketException.class))
          .with(Failure.MALFORMED, is(ProtocolException.class))
          .with(Failure.GARBAGE, is(ProtocolException.class))
          .with(Failure.OVERSIZED_HEAD, is(ProtocolException.class))
          .with(Failure.UNTRUSTED, any(SSLException.class))
          .with(Failure.UNKNOWN_HOST, is(UnknownHostException.class))
          .with(Failure.GOAWAY, is(SocketException.class))
          .with(Failure.STREAM_RESET, is(IOException.class, "HTTP/2 stream reset by server"))
          .with(
              Failure.CLOSED,
              is(SocketException.class, "the client was closed")
                  .or(is(IllegalStateException.class, "Closed")));

  @Override
  public Client open(ClientSettings settings) throws Exception {
    return new AhcClient(settings);
  }

  @Override
  public boolean isExpected(Failure kind, Throwable thrown) {
    return EXPECTED.isExpected(kind, thrown);
  }

  @Override
  public boolean isIoThread(Thread thread) {
    return thread instanceof AhcIoThread;
  }

  @Override
  public void onIoThread(Client client, Call call, Runnable work) throws Exception {
    ((AhcClient) client).onEventLoop(work);
  }
}
