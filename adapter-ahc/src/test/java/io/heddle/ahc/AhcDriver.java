package io.heddle.ahc;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.Call;
import io.heddle.conformance.Client;
import io.heddle.conformance.ClientDriver;
import io.heddle.conformance.ClientSettings;
import io.heddle.conformance.Failure;
import io.netty.channel.ConnectTimeoutException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Predicate;
import javax.net.ssl.SSLException;
import org.asynchttpclient.exception.TooManyConnectionsException;
import org.asynchttpclient.exception.TooManyConnectionsPerHostException;

/** The kit's driver of this adapter. */
public final class AhcDriver implements ClientDriver {

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

  private static Predicate<Throwable> says(
      Class<? extends Throwable> type, String beginningOfMessage) {
    return thrown ->
        thrown.getClass() == type
            && String.valueOf(thrown.getMessage()).startsWith(beginningOfMessage);
  }

  static {
    expect(Failure.REFUSED, is(ConnectException.class));
    expect(Failure.CONNECT_TIMEOUT, is(ConnectTimeoutException.class));
    expect(
        Failure.LEASE_TIMEOUT,
        is(TooManyConnectionsException.class, TooManyConnectionsPerHostException.class));
    expect(Failure.READ_TIMEOUT, is(SocketTimeoutException.class));
    expect(Failure.DEADLINE, is(DeadlineExceededException.class));
    expect(Failure.INTERRUPTED, is(InterruptedException.class, InterruptedIOException.class));
    expect(Failure.CANCELLED, says(SocketException.class, "the call was cancelled"));
    expect(Failure.RESET_BEFORE_HEAD, is(SocketException.class));
    expect(Failure.RESET_IN_BODY, is(SocketException.class));
    expect(Failure.TRUNCATED, is(SocketException.class));
    expect(Failure.GARBAGE, is(ProtocolException.class));
    expect(Failure.OVERSIZED_HEAD, is(ProtocolException.class));
    expect(Failure.UNTRUSTED, SSLException.class::isInstance);
    expect(Failure.UNKNOWN_HOST, is(UnknownHostException.class));
    expect(Failure.GOAWAY, is(SocketException.class));
    expect(Failure.STREAM_RESET, says(IOException.class, "HTTP/2 stream reset by server"));
    expect(
        Failure.CLOSED,
        says(SocketException.class, "the client was closed")
            .or(says(IllegalStateException.class, "Closed")));
  }

  @Override
  public Client open(ClientSettings settings) throws Exception {
    return new AhcClient(settings);
  }

  @Override
  public boolean isExpected(Failure kind, Throwable thrown) {
    Predicate<Throwable> test = EXPECTED.get(kind);
    return test != null && test.test(thrown);
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
