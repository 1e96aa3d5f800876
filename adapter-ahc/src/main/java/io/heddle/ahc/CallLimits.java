package io.heddle.ahc;

import io.heddle.core.CallEvent;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import io.heddle.core.InFlightLimit;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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

  private final AsyncHttpClientConfig config;
  private final @Nullable InFlightLimit connections;
  private final ConcurrentHashMap<Object, Origin> origins = new ConcurrentHashMap<>();
  private final AtomicInteger inFlight = new AtomicInteger();
  private volatile boolean closed;

  CallLimits(AsyncHttpClientConfig config) {
    this.config = config;
    this.connections =
        config.getMaxConnections() > 0 ? new InFlightLimit(config.getMaxConnections()) : null;
  }

  /** What a call holds while it is in flight. */
  final class Permit {
    private final Origin.@Nullable Lane lane;
    private final @Nullable InFlightLimit ofHost;
    private final @Nullable InFlightLimit ofAll;
    private final CallEvent event;
    private final AtomicBoolean running = new AtomicBoolean(true);
    private final AtomicBoolean inLane = new AtomicBoolean(true);

    private Permit(
        Origin.@Nullable Lane lane,
        @Nullable InFlightLimit ofHost,
        @Nullable InFlightLimit ofAll,
        CallEvent event) {
      this.lane = lane;
      this.ofHost = ofHost;
      this.ofAll = ofAll;
      this.event = event;
      inFlight.incrementAndGet();
    }

    /** The lane of its server; null if that cannot speak HTTP/2. */
    Origin.@Nullable Lane lane() {
      return lane;
    }

    /** That of the call which holds this. */
    CallEvent event() {
      return event;
    }

    /** Gives all back but the place in the lane; any thread, any number of times. */
    void end() {
      if (running.compareAndSet(true, false)) {
        inFlight.decrementAndGet();
        leaveAll(null, ofHost, ofAll);
      }
    }

    /** Gives all of it back; any thread, any number of times. */
    void leave() {
      end();
      if (inLane.compareAndSet(true, false)) {
        leaveAll(lane, null, null);
      }
    }
  }

  private static void leaveAll(
      Origin.@Nullable Lane lane, @Nullable InFlightLimit ofHost, @Nullable InFlightLimit ofAll) {
    if (ofAll != null) {
      ofAll.leave();
    }
    if (ofHost != null) {
      ofHost.leave();
    }
    if (lane != null) {
      lane.limit().leave();
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
    Turn turn = new Turn(deadline, deadline.earlier(lease), waiting);
    Origin origin = origin(request);
    Origin.Lane lane = origin == null || !maySpeakHttp2(request) ? null : enterLane(origin, turn);
    if (lane != null && lane.isShared()) {
      return new Permit(lane, null, null, event);
    }
    InFlightLimit ofHost = origin == null ? null : origin.connections();
    boolean entered = false;
    boolean enteredHost = false;
    try {
      if (ofHost != null) {
        int max = config.getMaxConnectionsPerHost();
        turn.await(ofHost, () -> new TooManyConnectionsPerHostException(max));
        enteredHost = true;
      }
      if (connections != null) {
        int max = config.getMaxConnections();
        turn.await(connections, () -> new TooManyConnectionsException(max));
      }
      entered = true;
      return new Permit(lane, ofHost, connections, event);
    } finally {
      if (!entered) {
        leaveAll(lane, enteredHost ? ofHost : null, null);
      }
    }
  }

  /**
   * Takes what is free, for a caller that must not wait: an I/O thread that starts a call with a
   * handler. A server's bound on streams is left to AHC then, which has a queue for that.
   *
   * @throws IOException AHC's own, if there is no free place
   */
  Permit enterNow(Request request, CallEvent event) throws IOException {
    Origin origin = origin(request);
    Origin.Lane lane = origin == null || !maySpeakHttp2(request) ? null : origin.lane();
    if (lane != null && !lane.limit().tryEnter()) {
      return new Permit(null, null, null, event);
    }
    if (lane != null && lane.isShared()) {
      return new Permit(lane, null, null, event);
    }
    InFlightLimit ofHost = origin == null ? null : origin.connections();
    if (ofHost != null && !ofHost.tryEnter()) {
      leaveAll(lane, null, null);
      throw new TooManyConnectionsPerHostException(config.getMaxConnectionsPerHost());
    }
    if (connections != null && !connections.tryEnter()) {
      leaveAll(lane, ofHost, null);
      throw new TooManyConnectionsException(config.getMaxConnections());
    }
    return new Permit(lane, ofHost, connections, event);
  }

  /** Turns away all that wait, and all that come. */
  void close() {
    closed = true;
    origins.values().forEach(Origin::close);
    if (connections != null) {
      connections.close();
    }
  }

  private Origin.Lane enterLane(Origin origin, Turn turn)
      throws IOException, InterruptedException, TimeoutException {
    for (; ; ) {
      Origin.Lane lane = origin.lane();
      try {
        turn.await(
            lane.limit(),
            () -> new TooManyConnectionsPerHostException(config.getMaxConnectionsPerHost()));
        return lane;
      } catch (CancellationException e) {
        if (closed || origin.lane() == lane) {
          throw e;
        }
        Throwable failure = lane.failure();
        if (failure != null) {
          throw AhcFailures.thrown(failure);
        } // else the connection has gone, and there is a new lane
      }
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
      known =
          origins.computeIfAbsent(
              key,
              any ->
                  new Origin(
                      config.getMaxConnectionsPerHost(), config.getHttp2MaxConcurrentStreams()));
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

  /** One call's way through several limits. */
  private record Turn(Deadline call, Deadline lease, Consumer<Exchange<?>> waiting) {

    void await(InFlightLimit limit, Supplier tooMany)
        throws IOException, InterruptedException, TimeoutException {
      if (limit.tryEnter()) {
        return;
      }
      Exchange<Boolean> turn = limit.ask();
      waiting.accept(turn);
      try {
        turn.await(lease);
      } catch (TimeoutException e) {
        if (call.isExpired()) {
          throw e;
        }
        IOException failure = tooMany.get();
        failure.initCause(e);
        throw failure;
      } catch (ExecutionException e) {
        throw new AssertionError("a turn never fails", e);
      }
    }
  }

  @FunctionalInterface
  private interface Supplier {
    IOException get();
  }
}
