package io.heddle.apache;

import io.heddle.IoThread;
import io.heddle.core.Deadline;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.ConnectionShutdownException;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Brings the connection of a lease to where a request can be sent on it, on the caller's thread:
 * opens it, secures it, leases another in place of a shared one that is gone, and tells those who
 * wait for it what became of it. Each step may find that the lease was released meanwhile, by
 * another thread.
 */
final class LeaseConnector {

  private final ConnectionOpener opener;
  private final ApacheLanes lanes;
  private final RouteSettings settings;

  LeaseConnector(ConnectionOpener opener, ApacheLanes lanes, RouteSettings settings) {
    this.opener = opener;
    this.lanes = lanes;
    this.settings = settings;
  }

  /**
   * Connects an endpoint, if it is not.
   *
   * @param connectTimeout null for what the connection configuration says
   */
  void connect(ApacheEndpoint endpoint, @Nullable TimeValue connectTimeout, HttpContext context)
      throws IOException {
    if (endpoint.isConnected()) {
      return;
    }
    IoThread.forbidWaiting();
    CallDeadline.mustBeHeeded(context);
    Lease lease = endpoint.lease();
    if (lease == null) {
      throw new ConnectionShutdownException();
    }
    while (lease == Lease.NONE || (lease.shared() != null && !lease.connection().isUsable())) {
      lease = leaseAnew(endpoint, lease, context);
    }
    if (lease.failure() != null) {
      throw ApacheFailures.again(lease.failure());
    }
    if (!lease.connection().isUsable()) {
      open(endpoint, lease, settings.plan(endpoint.route(), connectTimeout, context));
    }
    // A tunnel is not at its target yet.
    connected(endpoint, lease, lease.shared() != null || !endpoint.route().isTunnelled());
  }

  /** Connects an endpoint that has lost its connection between two of its exchanges. */
  @SuppressWarnings("deprecation") // the classic chain heeds it too
  void connectAgain(ApacheEndpoint endpoint, HttpContext context) throws IOException {
    connect(endpoint, configOf(context).getConnectTimeout(), context);
  }

  /** Goes on over TLS. */
  void upgrade(ApacheEndpoint endpoint, HttpContext context) throws IOException {
    Lease lease = endpoint.lease();
    if (lease == null || lease.connection() == ReactorConnection.NONE) {
      throw new ConnectionShutdownException();
    }
    ConnectionOpener.Plan plan = settings.plan(endpoint.route(), null, context);
    Timeout handshake = plan.tlsConfig().getHandshakeTimeout();
    opener.upgrade(
        lease.connection(),
        plan,
        handshake != null ? handshake : endpoint.classic().getSocketTimeout(),
        endpoint.waits());
    connected(endpoint, lease, true);
  }

  private void open(ApacheEndpoint endpoint, Lease lease, ConnectionOpener.Plan plan)
      throws IOException {
    lease.entry().discardConnection(CloseMode.IMMEDIATE); // a dead one must go first
    try {
      lease.entry().assignConnection(opener.open(plan, endpoint.waits()));
    } catch (IOException e) {
      if (lease.notOpening() != lease
          && ApacheFailures.isOfRoute(e, plan.callDeadline())
          && endpoint.replace(lease, lease.notOpening())) {
        lease.openFailed(e);
      }
      throw e;
    }
  }

  private void connected(ApacheEndpoint endpoint, Lease lease, boolean atTarget)
      throws IOException {
    Lease then = atTarget ? lease.connected() : lease;
    if (!endpoint.connected(lease, then)) {
      if (lease.shared() == null) {
        lease.entry().discardConnection(CloseMode.IMMEDIATE);
      }
      throw ApacheFailures.closed(null);
    }
    lease.tell(then);
    if (lanes.isClosed()) { // whoever closes may have missed the connection
      endpoint.fail(new ApacheFailures.ShutDown());
      throw new ApacheFailures.ShutDown();
    }
  }

  /**
   * The shared connection of a lease went down between two of its exchanges. It is given back
   * before another is asked for: the one that is dead may have the only place.
   */
  private Lease leaseAnew(ApacheEndpoint endpoint, Lease lease, HttpContext context)
      throws IOException {
    HttpRoute route = endpoint.route();
    Deadline deadline =
        CallDeadline.after(configOf(context).getConnectionRequestTimeout())
            .earlier(CallDeadline.of(context));
    try {
      if (lease != Lease.NONE) {
        if (!endpoint.replace(lease, Lease.NONE)) {
          throw ApacheFailures.closed(null);
        }
        lanes.giveBack(lease, null, null, false);
      }
      Lease anew =
          route.isTunnelled() // the classic chain is about to make the tunnel
              ? lanes.acquireForTunnel(route, deadline, endpoint.waits())
              : lanes.acquire(route, null, deadline, endpoint.waits());
      if (!endpoint.replace(Lease.NONE, anew)) {
        lanes.giveBack(anew, null, null, false);
        throw ApacheFailures.closed(null);
      }
      return anew;
    } catch (InterruptedException
        | TimeoutException
        | CancellationException
        | ExecutionException e) {
      throw new ApacheFailures.Wait(
              "waiting for a connection", CallDeadline.of(context), "No connection in time")
          .apply(e);
    }
  }

  private static RequestConfig configOf(HttpContext context) {
    return HttpClientContext.cast(context).getRequestConfigOrDefault();
  }
}
