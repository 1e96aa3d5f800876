package io.heddle.apache;

import io.heddle.IoThread;
import io.heddle.core.CallEvent;
import io.heddle.core.CallEvent.Step;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import io.heddle.core.Resends;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.apache.hc.client5.http.EndpointInfo;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.impl.ConnectionHolder;
import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.HttpConnection;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.impl.io.HttpRequestExecutor;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.Identifiable;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * What the classic chain has leased: it is connected, used for one call after the other, closed,
 * and given back. Its exchanges are {@link ClassicConnection}'s.
 *
 * <pre>{@code
 * LEASED ──connect──▶ CONNECTED ──close──▶ CLOSED
 *                         ▲─────connect──────┘
 * from each ──release──▶ RELEASED: it has no lease any more
 * }</pre>
 *
 * <p>The chain drives it from one thread, the caller's; {@link #close} and the release may come
 * from any. Over HTTP/2 close ends this lease's exchange and leaves the connection, which others
 * use.
 */
final class ApacheEndpoint extends ConnectionEndpoint implements ConnectionHolder, Identifiable {

  private static final AtomicReferenceFieldUpdater<ApacheEndpoint, @Nullable Lease> LEASE =
      AtomicReferenceFieldUpdater.newUpdater(ApacheEndpoint.class, Lease.class, "lease");

  private final long number;
  private final Thread caller = Thread.currentThread();
  private final HttpRoute route;
  private final CancellableWaits waits;
  private final LeaseConnector connector;
  private final ClassicConnection classic;

  // Written by the caller, read by any.
  private volatile @Nullable Lease lease;
  private volatile boolean closed;

  // How the chain says that a connection must not be used again: it closes the endpoint immediately
  // and never gracefully, as it does where it is only the response that is given up.
  private volatile @Nullable CloseMode closedWith;

  /**
   * A lease of this thread's.
   *
   * @param number of leases that one thread has, the last has the highest
   * @param lease what to give back at its end
   * @param timeout how long to wait for the peer, where the request does not say
   * @param waits for what a connection takes
   * @param connector gives it a connection again, if it lost its own
   */
  ApacheEndpoint(
      long number,
      HttpRoute route,
      Lease lease,
      Timeout timeout,
      CancellableWaits waits,
      LeaseConnector connector) {
    this.number = number;
    this.route = route;
    this.lease = lease;
    this.waits = waits;
    this.connector = connector;
    this.classic = new ClassicConnection(this, timeout);
  }

  // ---- the connection manager ---------------------------------------------------------------

  long number() {
    return number;
  }

  /** Who has leased it. */
  Thread caller() {
    return caller;
  }

  HttpRoute route() {
    return route;
  }

  /** What is leased, or null after its end. */
  @Nullable Lease lease() {
    return lease;
  }

  /** The end of the lease. Returns it once; later null. */
  @Nullable Lease detach() {
    return LEASE.getAndSet(this, null);
  }

  /** The waits of {@code connect}, which end when the endpoint is closed or released. */
  CancellableWaits waits() {
    return waits;
  }

  /**
   * There is a connection to begin an exchange on.
   *
   * @return false if another thread has released the first of the two meanwhile, or closed it
   */
  boolean connected(Lease before, Lease now) {
    if (!replace(before, now)) {
      return false;
    }
    closed = false;
    return true;
  }

  /**
   * The lease becomes another.
   *
   * @return false if another thread has released the first of the two meanwhile, or closed it
   */
  boolean replace(Lease before, Lease now) {
    return LEASE.compareAndSet(this, before, now);
  }

  /** The connection of the lease, or {@link ReactorConnection#NONE}. */
  ReactorConnection connection() {
    Lease of = lease;
    return of == null ? ReactorConnection.NONE : of.connection();
  }

  /** Whether it was closed, and not connected since. */
  boolean isClosed() {
    return closed;
  }

  /** Its exchanges. */
  ClassicConnection classic() {
    return classic;
  }

  /**
   * Whether a {@code ConnectionReuseStrategy} of the user's wants the connection not to be used
   * again: the chain closes the endpoint of a response that came to its end, and Apache's own
   * strategy is not why.
   */
  boolean isReuseRefused() {
    return closedWith == CloseMode.IMMEDIATE && classic.isFitForReuse();
  }

  /** An exchange begins: it has not been closed yet. */
  void begins() {
    closedWith = null;
  }

  /** Ends the lease's exchange and tells whoever waits for it why; any thread. */
  void fail(Exception why) {
    closed = true;
    waits.event().cancels();
    classic.fail(why);
  }

  // ---- ConnectionEndpoint: what the classic chain calls -------------------------------------

  @Override
  @Deprecated
  public ClassicHttpResponse execute(
      String id, ClassicHttpRequest request, HttpRequestExecutor executor, HttpContext context)
      throws IOException, HttpException {
    return execute(id, request, (r, conn, c) -> executor.execute(r, conn, c), context);
  }

  @Override
  public ClassicHttpResponse execute(
      String id, ClassicHttpRequest request, RequestExecutor executor, HttpContext context)
      throws IOException, HttpException {
    IoThread.forbidWaiting();
    CallEvent event = waits.next();
    HttpHost target = route.getTargetHost();
    event.request(request.getMethod(), target.getHostName(), target.getPort());
    try {
      ClassicHttpResponse response = executeInTime(request, executor, context);
      if (response.getEntity() == null) {
        event.completed();
      }
      return response;
    } catch (Throwable t) {
      event.failed(t);
      throw t;
    }
  }

  private ClassicHttpResponse executeInTime(
      ClassicHttpRequest request, RequestExecutor executor, HttpContext context)
      throws IOException, HttpException {
    CallDeadline.mustBeHeeded(context);
    Deadline callDeadline = classic.callBegins(context);
    Resends resends = new Resends(callDeadline);
    for (; ; ) {
      HttpClientContext.cast(context).setProtocolVersion(open().protocolVersion());
      try {
        return executor.execute(request, classic, context);
      } catch (IOException e) {
        if (!classic.mayGoAgain(request) || !resends.unprocessed()) {
          NoResponseCause.keep(e, context);
          throw e;
        }
        pause(resends.pauseNanos(), callDeadline);
        if (!isConnected()) {
          if (route.isTunnelled()) {
            throw e; // only the classic chain can make the tunnel
          }
          connector.connectAgain(this, context);
        }
      }
    }
  }

  private void pause(long nanos, Deadline callDeadline) throws IOException {
    if (nanos > 0) {
      try {
        waits.await(Step.HEAD, new Exchange<>(), Deadline.afterNanos(nanos).earlier(callDeadline));
      } catch (TimeoutException over) {
        return;
      } catch (InterruptedException | CancellationException | ExecutionException e) {
        throw new ApacheFailures.Wait("waiting to send the request again", callDeadline, "")
            .apply(e);
      }
    }
  }

  /** The connection, for an exchange that is to begin on it. */
  ReactorConnection open() throws ConnectionClosedException {
    ReactorConnection connection = connection();
    if (closed || connection == ReactorConnection.NONE) {
      throw new ConnectionClosedException();
    }
    return connection;
  }

  @Override
  public boolean isConnected() {
    return !closed && connection().isUsable();
  }

  @Override
  public void setSocketTimeout(@Nullable Timeout timeout) {
    classic.setSocketTimeout(timeout);
  }

  @Override
  public @Nullable EndpointInfo getInfo() {
    ReactorConnection connection = connection();
    return connection.isOpen()
        ? new EndpointInfo(connection.protocolVersion(), connection.sslSession())
        : null;
  }

  @Override
  public void close() {
    close(CloseMode.GRACEFUL);
  }

  /**
   * Another thread may connect meanwhile, and share with others what it has connected: then it is
   * not this lease's to close. Who replaces the lease first has the say.
   */
  @Override
  public void close(CloseMode closeMode) {
    Lease of = lease;
    boolean shared = of != null && of.connection().isMultiplexed();
    if (closedWith != CloseMode.GRACEFUL) {
      closedWith = closeMode;
    }
    if (!caller.equals(Thread.currentThread())) {
      waits.event().cancels();
    }
    if (!shared) {
      closed = true; // before the look at the exchange: one that begins now sees it
    }
    waits.cancelCurrent();
    classic.giveUp();
    if (shared || of == null || of.holdsNothing()) {
      return;
    }
    if (replace(of, of.closed())) {
      of.connection().close(closeMode);
    } else {
      close(closeMode);
    }
  }

  // ---- ConnectionHolder, Identifiable -------------------------------------------------------

  @Override
  public @Nullable HttpConnection get() {
    return connection() == ReactorConnection.NONE ? null : classic;
  }

  @Override
  public String getId() {
    return "ep-" + number;
  }

  @Override
  public String toString() {
    return getId() + "[" + route + ", " + lease + "]";
  }
}
