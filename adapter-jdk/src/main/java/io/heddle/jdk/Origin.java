package io.heddle.jdk;

import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import io.heddle.core.HostResolver;
import io.heddle.core.InFlightLimit;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A server, by scheme, name and port: how many calls it may get at a time, who of them connects,
 * and whether its name was looked up.
 *
 * <pre>{@code
 * limit  the user's   HTTP/1.1: so many connections. HTTP/2: no bound
 *          │ "too many concurrent streams": of n calls under way the server allows n−1
 *        FULL  n−1, … each call that ends may let in one more, for the server may change its mind
 *          └─▶ the user's, once nobody is under way
 *
 * gate   COLD  HTTP/2 is possible: one call connects, for the others to share the connection
 *          │ its connection stands, or none can be made, or it takes 2 s
 *        WARM  there is no gate
 *          └─▶ COLD  the connection is lost, or may be, as nobody has used it for long
 * }</pre>
 */
final class Origin {

  static final int PATIENCE_MILLIS = 2000;

  /** After a refusal so many calls end before one more than before is tried. */
  private static final int CAUTION = 3;

  private static final int BACK_OFF_MILLIS = 10;

  /** After so long in which calls are refused that are alone, the streams are not coming back. */
  private static final int LOST_MILLIS = 200;

  private final InFlightLimit limit;
  private final AtomicReference<@Nullable InFlightLimit> gate;
  private final int maxConnections;
  private final long lookUpNanos = JdkInternals.lookUpNanos();

  // A little before the client closes an idle connection.
  private final long coldNanos = JdkInternals.idleNanos() / 6 * 5;

  // Shared; a race costs a call that is refused, or a look-up, and no more.
  private volatile boolean answered;
  private volatile boolean full;
  private volatile boolean multiplexed;
  private volatile long refusedAloneAt; // 0 if there was a stream since
  private final AtomicInteger caution = new AtomicInteger();
  private volatile long leftAt = System.nanoTime();
  private volatile long lookedUpAt;
  private volatile boolean lookedUp;

  private final ReentrantLock changing = new ReentrantLock();

  // Guarded by changing.
  private int bound;

  /**
   * An origin that nobody has called.
   *
   * @param shared whether calls can share a connection
   */
  Origin(int maxConnections, boolean shared) {
    this.maxConnections = maxConnections;
    this.bound = maxConnections;
    this.limit = new InFlightLimit(maxConnections);
    this.gate = new AtomicReference<>(shared ? new InFlightLimit(1) : null);
  }

  // ---- a call's beginning ---------------------------------------------------------------------

  /**
   * Looks the name up, so that the JVM knows it and the client need not hold its thread.
   *
   * @return what the call is to fail with if it needs an address; none needs one that finds a
   *     connection
   */
  @Nullable ConnectException lookUp(
      URI uri, HttpClient client, HostResolver<InetAddress[]> resolver, Deadline deadline)
      throws InterruptedException, TimeoutException {
    long now = System.nanoTime();
    if (lookUpNanos == 0 || (lookedUp && now - lookedUpAt < lookUpNanos)) {
      return null;
    }
    String host = hostOf(uri, client.proxy().orElseGet(ProxySelector::getDefault));
    try {
      if (host != null) {
        resolver.resolve(host, () -> InetAddress.getAllByName(host)).await(deadline);
      }
      lookedUpAt = now;
      lookedUp = true;
      return null;
    } catch (ExecutionException e) {
      return JdkFailures.caused(new ConnectException("no address of " + host), e.getCause());
    } catch (IllegalStateException closed) {
      throw JdkFailures.caused(new CancellationException(closed.getMessage()), closed);
    }
  }

  /** The name to look up; null if there is none. */
  private static @Nullable String hostOf(URI uri, @Nullable ProxySelector proxies) {
    String host = uri.getHost();
    List<Proxy> proxy = proxies == null ? List.of() : proxies.select(uri);
    if (proxy != null && !proxy.isEmpty() && proxy.get(0).type() != Proxy.Type.DIRECT) {
      host =
          proxy.get(0).address() instanceof InetSocketAddress its && its.isUnresolved()
              ? its.getHostString()
              : null;
    }
    boolean literal = host == null || host.startsWith("[") || host.matches("[0-9.]+");
    return literal ? null : host;
  }

  /**
   * Waits for a place, and while it is cold, for the gate.
   *
   * @return the gate, if the call must say when its connection stands, and leave it at its end
   * @throws TimeoutException if the deadline came first
   * @throws CancellationException if the client was closed
   */
  @Nullable InFlightLimit enter(Deadline deadline) throws InterruptedException, TimeoutException {
    if (System.nanoTime() - leftAt > coldNanos && isIdle()) {
      cool();
    }
    limit.enter(deadline);
    boolean entered = false;
    try {
      InFlightLimit its = gate.get();
      if (its != null) {
        pass(its, deadline);
      }
      entered = true;
      return gate.get() == its ? its : null;
    } finally {
      if (!entered) {
        limit.leave();
      }
    }
  }

  private void pass(InFlightLimit its, Deadline deadline)
      throws InterruptedException, TimeoutException {
    Deadline patience = Deadline.afterNanos(TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS));
    try {
      its.enter(deadline.earlier(patience));
    } catch (TimeoutException e) {
      if (deadline.isExpired()) {
        throw e;
      }
      warmUp(); // an outage holds up nobody for long
    }
  }

  // ---- what a call finds ----------------------------------------------------------------------

  /** A connection stands, which all can share; or none can be made, which each may find himself. */
  void warmUp() {
    InFlightLimit its = gate.getAndSet(null);
    if (its != null) {
      its.setMax(Integer.MAX_VALUE); // wakes all that wait at it
    }
  }

  /** The connection that all share is lost, or may be: one call is to open the next. */
  void cool() {
    if (multiplexed && gate.get() == null) {
      gate.compareAndSet(null, new InFlightLimit(1));
    }
  }

  /** The head of a response came. */
  void answered() {
    answered = true;
    refusedAloneAt = 0;
  }

  /** What its connections speak. */
  void speaks(HttpClient.Version version) {
    boolean its = version != HttpClient.Version.HTTP_1_1;
    if (its != multiplexed) {
      multiplexed = its;
      change(its ? Integer.MAX_VALUE : maxConnections);
    }
  }

  /**
   * Whether a call has had an answer here before, and so may have met a connection that was idle.
   */
  boolean hasAnswered() {
    return answered;
  }

  /** A call is over, as there was no stream for it: the others are as many as there may be. */
  void leaveRefused() {
    changing.lock();
    try {
      full = true;
      caution.set(CAUTION);
      int others = limit.inFlight() - 1;
      if (others > 0) {
        refusedAloneAt = 0;
      } else if (refusedAloneAt == 0) {
        refusedAloneAt = System.nanoTime() | 1;
      }
      change(Math.max(1, others));
    } finally {
      changing.unlock();
    }
    limit.leave();
  }

  /** Where a refused call has none to wait for, as the streams are not ours: waits a moment. */
  void pause(Deadline deadline) throws InterruptedException {
    if (refusedAloneAt != 0) {
      Deadline moment = Deadline.afterNanos(TimeUnit.MILLISECONDS.toNanos(BACK_OFF_MILLIS));
      new Exchange<Void>().awaitDone(deadline.earlier(moment));
    }
  }

  /** Whether the connection has no stream left, and nobody who could give one back. */
  boolean hasLostItsStreams() {
    long since = refusedAloneAt;
    return since != 0 && System.nanoTime() - since > TimeUnit.MILLISECONDS.toNanos(LOST_MILLIS);
  }

  /** A call is over. */
  void leave() {
    leftAt = System.nanoTime();
    limit.leave();
    if (full) {
      if (limit.waiting() == 0 && limit.inFlight() == 0) {
        full = false;
        change(multiplexed ? Integer.MAX_VALUE : maxConnections);
      } else if (caution.getAndUpdate(left -> Math.max(0, left - 1)) == 0) {
        change(0);
      }
    }
  }

  /** How many wait for a place, or at the gate. */
  int waiting() {
    InFlightLimit its = gate.get();
    return limit.waiting() + (its == null ? 0 : its.waiting());
  }

  boolean isIdle() {
    return limit.waiting() == 0 && limit.inFlight() == 0;
  }

  /** Turns away all that wait. */
  void close() {
    limit.close();
    InFlightLimit its = gate.get();
    if (its != null) {
      its.close();
    }
  }

  /** Sets the bound; 0 for one more than it is. */
  private void change(int to) {
    changing.lock();
    try {
      bound = to > 0 ? to : bound == Integer.MAX_VALUE ? bound : bound + 1;
      limit.setMax(bound); // wakes those who have a place now
    } finally {
      changing.unlock();
    }
  }
}
