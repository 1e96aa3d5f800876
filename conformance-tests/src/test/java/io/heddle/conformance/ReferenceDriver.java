package io.heddle.conformance;

import io.heddle.DeadlineExceededException;
import io.heddle.IoThread;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;

/**
 * A driver that is right, to try the rules on: a small client over Netty and core, written for
 * this, without the traps of a library. What it fails at is the kit's fault.
 */
public final class ReferenceDriver implements ClientDriver {

  @Override
  public Client open(ClientSettings settings) {
    return new ReferenceClient(settings);
  }

  @Override
  public boolean isExpected(Failure kind, Throwable thrown) {
    return switch (kind) {
      case INTERRUPTED ->
          thrown instanceof InterruptedIOException && !(thrown instanceof SocketTimeoutException);
      case DEADLINE -> thrown instanceof DeadlineExceededException;
      default -> thrown instanceof ReferenceException failure && failure.kind() == kind;
    };
  }

  @Override
  public boolean isIoThread(Thread thread) {
    return thread instanceof IoThread;
  }

  @Override
  public void onIoThread(Client client, Call call, Runnable work) throws Exception {
    ((ReferenceClient) client).onIoThread(work);
  }
}
