package io.heddle.ahc;

import io.heddle.core.CallEvent;
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
final class CallLimits {

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
  private final ConcurrentHashMap<Object, Origin> origins = new ConcurrentHashMap<>();
  private final AtomicInteger inFlight = new AtomicInteger();
  private volatile boolean closed;

  CallLimits(AsyncHttpClientConfig config) {
    this.config = config;
    this.connections = limit(config.getMaxConnections());
  }

  private static @Nullable InFlightLimit limit(int max) {
    return max > 0 ? new InFlightLimit(max) : null;
  }

  /**
   * One server.
   *
   * @param connections the bound on connections that calls have for themselves; null for none
   */
  private record Origin(Lanes lanes, @Nullable InFlightLimit connections) {

    /** Whether nobody is here, so that it can be forgotten. */
    boolean isIdle() {
      return !lanes.now().isShared()
          && lanes.isIdle()
          && (connections == null || connections.inFlight() == 0);
    }

    int waiting() {
      return lanes.now().waiting() + (connections == null ? 0 : connections.waiting());
    }

    void close() {
      lanes.close();
      if (connections != null) {
        connections.close();
      }
    }
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
    private @Nullable InFlightLimit ofHost;
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

    /** The lane of its server; null if that cannot speak HTTP/2. */
    @Nullable Lane lane() {
      return lane;
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
        leave(ofHost);
      }
    }

    /** Gives all of it back; any thread, any number of times. */
    void leave() {
      end();
      int before = HELD.getAndSet(this, LEFT);
      if (before == WAITING) {
        leave(ofHost);
      }
      if (before != LEFT) {
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
    for (Origin each : origins.values()) {
      waiting += each.waiting();
    }
    return waiting;
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
    Origin origin = origin(request);
    Permit permit = new Permit(event);
    try {
      if (origin != null && maySpeakHttp2(request)) {
        Lane lane = origin.lanes().now();
        if (waiting == null && !lane.tryEnter()) {
          permit.begin();
          return permit;
        }
        permit.lane = waiting == null ? lane : (Lane) turns.take(lane, true);
      }
      if (permit.lane == null || !permit.lane.isShared()) {
        permit.ofHost = turns.take(origin == null ? null : origin.connections(), true);
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
      CallLimits of, Deadline call, Deadline lease, @Nullable Consumer<Exchange<?>> waiting) {

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
        throw call.isExpired() ? failure(e) : AhcFailures.caused(of.tooMany(isOfHost), e);
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
    origins.values().forEach(Origin::close);
    if (connections != null) {
      connections.close();
    }
  }

  private @Nullable Origin origin(Request request) {
    if (!maySpeakHttp2(request) && config.getMaxConnectionsPerHost() <= 0) {
      return null;
    }
    ProxyServer proxy = ProxyUtils.getProxyServer(config, request);
    Object key = partitionKey(request, proxy);
    Origin known = origins.get(key);
    if (known == null) {
      if (origins.size() > MANY) {
        origins.values().removeIf(Origin::isIdle);
      }
      int most = config.getHttp2MaxConcurrentStreams();
      int streams = most > 0 ? most : Integer.MAX_VALUE;
      known =
          origins.computeIfAbsent(
              key, any -> new Origin(new Lanes(streams), limit(config.getMaxConnectionsPerHost())));
    }
    if (closed) {
      known.close();
    }
    return known;
  }

  @SuppressWarnings("NullAway") // AHC is not annotated: both may be null
  private static Object partitionKey(Request request, @Nullable ProxyServer proxy) {
    return request
        .getChannelPoolPartitioning()
        .getPartitionKey(request.getUri(), request.getVirtualHost(), proxy);
  }

  private boolean maySpeakHttp2(Request request) {
    Uri uri = request.getUri();
    return config.isHttp2Enabled()
        && !uri.isWebSocket()
        && (uri.isSecured() || config.isHttp2CleartextEnabled());
  }

  private IOException tooMany(boolean isOfHost) {
    return isOfHost
        ? new TooManyConnectionsPerHostException(config.getMaxConnectionsPerHost())
        : new TooManyConnectionsException(config.getMaxConnections());
  }
}
