package io.heddle.ahc;

import io.heddle.core.CallEvent;
import io.heddle.core.CallReport;
import io.heddle.core.CallSite;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import io.heddle.core.InFlightLimit;
import io.heddle.core.Lanes;
import io.heddle.core.Lanes.Lane;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import org.asynchttpclient.AsyncHttpClientConfig;
import org.asynchttpclient.Request;
import org.asynchttpclient.exception.TooManyConnectionsException;
import org.asynchttpclient.exception.TooManyConnectionsPerHostException;
import org.asynchttpclient.proxy.ProxyServer;
import org.asynchttpclient.uri.Uri;
import org.asynchttpclient.util.ProxyUtils;
import org.jspecify.annotations.Nullable;

/**
 * Where a call waits until it may begin: for a stream of a shared HTTP/2 connection, or for one of
 * the connections that the configuration allows, per host and in all. AHC's own bounds fail a
 * caller instead, and count connections that lie idle in its pool.
 */
final class AhcLanes {

  /** More servers than that, and those that nobody calls are forgotten. */
  private static final int MANY = 1000;

  private static final AtomicIntegerFieldUpdater<Permit> HELD =
      AtomicIntegerFieldUpdater.newUpdater(Permit.class, "held");

  private static final int WAITING = 0;
  private static final int RUNNING = 1;
  private static final int ENDED = 2;
  private static final int LEFT = 3;

  private final AsyncHttpClientConfig config;
  private final @Nullable InFlightLimit connections;
  private final int perHost;
  private final ConcurrentHashMap<Object, Lanes> servers = new ConcurrentHashMap<>();
  private final AtomicInteger inFlight = new AtomicInteger();
  private volatile boolean closed;

  AhcLanes(AsyncHttpClientConfig config) {
    this.config = config;
    this.connections =
        config.getMaxConnections() > 0 ? new InFlightLimit(config.getMaxConnections()) : null;
    this.perHost = unbounded(config.getMaxConnectionsPerHost());
  }

  private static int unbounded(int max) {
    return max > 0 ? max : Integer.MAX_VALUE;
  }

  /**
   * What a call holds while it is in flight.
   *
   * <pre>{@code
   * WAITING ──it has all──▶ RUNNING ──end──▶ ENDED    has its place in the lane, and no other
   *    └────────leave──────────┴─────────────┴─leave─▶ LEFT
   * }</pre>
   */
  final class Permit {
    private final CallEvent event;

    // Written before it is RUNNING.
    private @Nullable Lane lane;
    private @Nullable InFlightLimit ofAll;

    // Shared, under compare-and-set.
    private volatile int held = WAITING;

    private Permit(CallEvent event) {
      this.event = event;
    }

    private void begin() {
      inFlight.incrementAndGet();
      held = RUNNING;
    }

    /** The lane of its server; null if it has no place in one. */
    @Nullable Lane lane() {
      return lane;
    }

    /** The server does not speak HTTP/2: the calls to it have a connection each. */
    void alone() {
      if (lane != null && !lane.isOpen()) { // else that is known, and its lock is left alone
        lane.open(perHost);
      }
    }

    /** That of the call which holds this. */
    CallEvent event() {
      return event;
    }

    /** Gives all back but the place in the lane; any thread, any number of times. */
    void end() {
      if (HELD.compareAndSet(this, RUNNING, ENDED)) {
        inFlight.decrementAndGet();
        leave(ofAll);
      }
    }

    /** Gives all of it back; any thread, any number of times. */
    void leave() {
      end();
      if (HELD.getAndSet(this, LEFT) != LEFT) {
        leave(lane);
      }
    }

    private static void leave(@Nullable InFlightLimit limit) {
      if (limit != null) {
        limit.leave();
      }
    }
  }

  /** How many calls are in flight. */
  int inFlight() {
    return inFlight.get();
  }

  /** How many wait until they may begin. */
  int waiting() {
    int waiting = connections == null ? 0 : connections.waiting();
    for (Lanes each : servers.values()) {
      waiting += each.now().waiting();
    }
    return waiting;
  }

  /** Says who waits until he may begin. */
  void tell(CallReport report) {
    if (connections != null) {
      connections.tell(report, "a call");
    }
    servers.forEach((server, lanes) -> lanes.now().tell(report, "a call to " + server));
  }

  /**
   * Waits until this request may be sent.
   *
   * @param waiting is told of each wait before it begins, so that somebody can cancel it; null if
   *     the caller must not wait, an I/O thread that starts a call with a handler: a server's bound
   *     on streams is left to AHC then, which has a queue for that
   * @throws IOException AHC's own, if its timeout for this (acquireFreeChannelTimeout) is over, 0
   *     being none, or there is no free place for a caller that must not wait; what kept a call
   *     before this one from getting a connection; or that the deadline is over, the wait was
   *     cancelled, or the client closed
   */
  Permit enter(
      Request request, Deadline deadline, @Nullable Consumer<Exchange<?>> waiting, CallEvent event)
      throws IOException, InterruptedException {
    if (waiting != null) {
      event.at(CallEvent.Step.PLACE);
    }
    int millis = config.getAcquireFreeChannelTimeout();
    Deadline lease =
        millis > 0 ? Deadline.afterNanos(TimeUnit.MILLISECONDS.toNanos(millis)) : Deadline.none();
    Turns turns = new Turns(this, deadline, deadline.earlier(lease), waiting);
    Lane lane = lane(request);
    Permit permit = new Permit(event);
    try {
      if (lane == null || waiting != null || isAlone(lane)) {
        permit.lane = (Lane) turns.take(lane, true);
      } else if (lane.tryEnter()) {
        permit.lane = lane;
      } else {
        permit.begin();
        return permit;
      }
      if (permit.lane == null || !permit.lane.isShared()) {
        permit.ofAll = turns.take(connections, false);
      }
      permit.begin();
      return permit;
    } finally {
      if (permit.held == WAITING) {
        permit.leave();
      }
    }
  }

  /** One call's way through several limits. */
  private record Turns(
      AhcLanes of, Deadline call, Deadline lease, @Nullable Consumer<Exchange<?>> waiting) {

    /** A place in this limit, or in one that has followed; null if there is no limit. */
    @Nullable InFlightLimit take(@Nullable InFlightLimit limit, boolean isOfHost)
        throws IOException, InterruptedException {
      if (limit == null || limit.tryEnter()) {
        return limit;
      }
      if (waiting == null) {
        throw of.tooMany(isOfHost);
      }
      Exchange<InFlightLimit> turn = limit.ask();
      waiting.accept(turn);
      try {
        return turn.await(lease);
      } catch (TimeoutException e) {
        throw call.isExpired() ? failure(e) : CallSite.caused(of.tooMany(isOfHost), e);
      } catch (ExecutionException | CancellationException e) {
        throw failure(e);
      }
    }

    private IOException failure(Exception end) {
      return AhcFailures.inWait("waiting for a connection", of.closed, end);
    }
  }

  /** Turns away all that wait, and all that come. */
  void close() {
    closed = true;
    servers.values().forEach(Lanes::close);
    if (connections != null) {
      connections.close();
    }
  }

  /** Where calls to the server of this request go now; null if it has no bound. */
  private @Nullable Lane lane(Request request) {
    boolean mayShare = maySpeakHttp2(request);
    if (!mayShare && perHost == Integer.MAX_VALUE) {
      return null;
    }
    ProxyServer proxy = ProxyUtils.getProxyServer(config, request);
    Object key = partitionKey(request, proxy);
    Lanes known = servers.get(key);
    if (known == null) {
      if (servers.size() > MANY) {
        servers.values().removeIf(each -> !each.now().isShared() && each.isIdle());
      }
      Lanes made = new Lanes(unbounded(config.getHttp2MaxConcurrentStreams()));
      if (!mayShare) {
        made.now().open(perHost);
      }
      known = servers.computeIfAbsent(key, any -> made);
    }
    if (closed) {
      known.close();
    }
    return known.now();
  }

  /** Whether the calls here have a connection each. */
  private static boolean isAlone(Lane lane) {
    return lane.isOpen() && !lane.isShared();
  }

  @SuppressWarnings("NullAway") // AHC is not annotated: both may be null
  private static Object partitionKey(Request request, @Nullable ProxyServer proxy) {
    return request
        .getChannelPoolPartitioning()
        .getPartitionKey(request.getUri(), request.getVirtualHost(), proxy);
  }

  private boolean maySpeakHttp2(Request request) {
    Uri uri = request.getUri();
    return config.isHttp2Enabled() && (uri.isSecured() || config.isHttp2CleartextEnabled());
  }

  private IOException tooMany(boolean isOfHost) {
    return isOfHost
        ? new TooManyConnectionsPerHostException(config.getMaxConnectionsPerHost())
        : new TooManyConnectionsException(config.getMaxConnections());
  }
}
