package io.heddle.ahc;

import io.heddle.core.CallEvent;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import io.heddle.core.InFlightLimit;
import io.heddle.core.Lanes;
import io.heddle.core.Lanes.Lane;
import java.io.IOException;
import java.util.Objects;
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
   * @param waiting is told of each wait before it begins, so that somebody can cancel it
   * @throws IOException AHC's own, if its timeout for this (acquireFreeChannelTimeout) is over; if
   *     that is 0 there is none; or what kept a call before this one from getting a connection
   * @throws TimeoutException if the deadline is over
   * @throws CancellationException if the wait was cancelled, or the client closed
   */
  Permit enter(Request request, Deadline deadline, Consumer<Exchange<?>> waiting, CallEvent event)
      throws IOException, InterruptedException, TimeoutException {
    event.at(CallEvent.Step.PLACE);
    int millis = config.getAcquireFreeChannelTimeout();
    Deadline lease =
        millis > 0 ? Deadline.afterNanos(TimeUnit.MILLISECONDS.toNanos(millis)) : Deadline.none();
    return enter(request, new Turns(this, deadline, deadline.earlier(lease), waiting), event);
  }

  /**
   * Takes what is free, for a caller that must not wait: an I/O thread that starts a call with a
   * handler. A server's bound on streams is left to AHC then, which has a queue for that.
   *
   * @throws IOException AHC's own, if there is no free place
   */
  Permit enterNow(Request request, CallEvent event) throws IOException {
    try {
      return enter(request, null, event);
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("this does not wait", e);
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

  private Permit enter(Request request, @Nullable Turns turns, CallEvent event)
      throws IOException, InterruptedException, TimeoutException {
    Origin origin = origin(request);
    Permit permit = new Permit(event);
    try {
      if (origin != null && maySpeakHttp2(request)) {
        Lane lane = origin.lanes().now();
        if (lane.tryEnter()) {
          permit.lane = lane;
        } else if (turns != null) {
          permit.lane = (Lane) turns.await(lane, true);
        } else { // AHC has a queue for that
          permit.begin();
          return permit;
        }
      }
      if (permit.lane == null || !permit.lane.isShared()) {
        permit.ofHost = take(origin == null ? null : origin.connections(), turns, true);
        permit.ofAll = take(connections, turns, false);
      }
      permit.begin();
      return permit;
    } finally {
      if (permit.held == WAITING) {
        permit.leave();
      }
    }
  }

  private @Nullable InFlightLimit take(
      @Nullable InFlightLimit limit, @Nullable Turns turns, boolean isOfHost)
      throws IOException, InterruptedException, TimeoutException {
    if (limit == null || limit.tryEnter()) {
      return limit;
    }
    if (turns == null) {
      throw tooMany(isOfHost);
    }
    return turns.await(limit, isOfHost);
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

  /** One call's way through several limits. */
  private record Turns(
      CallLimits of, Deadline call, Deadline lease, Consumer<Exchange<?>> waiting) {

    InFlightLimit await(InFlightLimit limit, boolean isOfHost)
        throws IOException, InterruptedException, TimeoutException {
      Exchange<InFlightLimit> turn = limit.ask();
      waiting.accept(turn);
      try {
        return turn.await(lease);
      } catch (TimeoutException e) {
        if (call.isExpired()) {
          throw e;
        }
        throw AhcFailures.caused(of.tooMany(isOfHost), e);
      } catch (ExecutionException e) {
        throw AhcFailures.thrown(Objects.requireNonNull(e.getCause()));
      }
    }
  }
}
