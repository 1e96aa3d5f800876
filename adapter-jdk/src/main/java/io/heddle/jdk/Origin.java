package io.heddle.jdk;

import io.heddle.core.CallReport;
import io.heddle.core.CallSite;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import io.heddle.core.HostResolver;
import io.heddle.core.InFlightLimit;
import io.heddle.core.Lanes;
import io.heddle.core.Lanes.Lane;
import io.heddle.core.Signal;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A server, by scheme, name and port: how many calls it may get at a time, who of them connects,
 * and whether its name was looked up.
 *
 * <p>Where HTTP/2 is possible calls go in {@link Lanes}: one connects, for the others to share the
 * connection, until that stands, or none can be made, or it takes {@value #PATIENCE_MILLIS} ms. A
 * lane is left when its connection is lost, or may be, as nobody has used it for long. Of an open
 * lane this knows the bound:
 *
 * <pre>{@code
 * the user's   HTTP/1.1: so many connections. HTTP/2: no bound
 *   │ "too many concurrent streams": of n calls under way the server allows n−1
 * FULL  n−1, … each call that ends may let in one more, for the server may change its mind
 *   └─▶ the user's, once nobody is under way
 * }</pre>
 */
final class Origin {

  static final int PATIENCE_MILLIS = 2000;

  /** After a refusal so many calls end before one more than before is tried. */
  private static final int CAUTION = 3;

  private static final int BACK_OFF_MILLIS = 10;

  /** After so long in which calls are refused that are alone, the streams are not coming back. */
  private static final int LOST_MILLIS = 200;

  /** What takes as long as that was no look at the JVM's own cache. */
  private static final long INSTANT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final long SHORTLY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Lanes lanes = new Lanes(Integer.MAX_VALUE);
  private final Queue<Lane> left = new ConcurrentLinkedQueue<>(); // somebody may be in them
  private final int maxConnections;
  private final long lookUpNanos = JdkInternals.lookUpNanos();

  // A little before the client closes an idle connection.
  private final long coldNanos = JdkInternals.idleNanos() / 6 * 5;

  // Shared; a race costs a call that is refused, or a look-up, and no more.
  private volatile boolean answered;
  private volatile boolean full;
  private volatile boolean multiplexed;
  private volatile Deadline streamsLost = Deadline.none(); // none if there was one since
  private final AtomicInteger caution = new AtomicInteger();
  private volatile long leftAt = System.nanoTime();
  private volatile Deadline lookedUp = Deadline.afterNanos(0);
  private volatile long lookUpTook; // 0 if another's was shared

  /** Host and port; without the URI's user, whose password may stand beside it. */
  static String authority(URI uri) {
    return uri.getPort() < 0 ? uri.getHost() : uri.getHost() + ":" + uri.getPort();
  }

  /**
   * What an origin is known by: the same for each spelling, in any case, and with the port that is
   * understood.
   */
  record Key(String scheme, String host, int port) {

    static Key of(URI uri) {
      String scheme = lower(uri.getScheme());
      int port = uri.getPort();
      return new Key(scheme, lower(uri.getHost()), port < 0 ? understood(scheme) : port);
    }

    private static String lower(@Nullable String text) {
      return String.valueOf(text).toLowerCase(Locale.ROOT);
    }

    private static int understood(String scheme) {
      return scheme.equals("https") ? 443 : 80;
    }

    @Override
    public String toString() {
      return scheme + "://" + host + (port == understood(scheme) ? "" : ":" + port);
    }
  }

  /**
   * An origin that nobody has called.
   *
   * @param shared whether calls can share a connection
   */
  Origin(int maxConnections, boolean shared) {
    this.maxConnections = maxConnections;
    if (!shared) {
      lanes.now().open(maxConnections);
    }
  }

  // ---- a call's beginning ---------------------------------------------------------------------

  /**
   * Looks the name up, so that the JVM knows it and the client need not hold its thread.
   *
   * @return what the call is to fail with if it needs an address; none needs one that finds a
   *     connection
   * @throws IOException if the deadline came first, or the client was closed
   */
  @Nullable ConnectException lookUp(
      URI uri, HttpClient client, HostResolver<InetAddress[]> resolver, Deadline deadline)
      throws IOException, InterruptedException {
    if (lookUpNanos == 0 || !lookedUp.isExpired()) {
      return null;
    }
    long begun = System.nanoTime();
    String host = hostOf(uri, client.proxy().orElseGet(ProxySelector::getDefault));
    try {
      if (host != null) {
        lookUpTook = 0;
        resolver.resolve(host, () -> lookUp(host)).await(deadline);
      }
      long trusted = host == null ? lookUpNanos : trusted(lookUpTook, lookUpNanos);
      lookedUp = Deadline.afterNanos(Math.max(0, trusted - (System.nanoTime() - begun)));
      return null;
    } catch (ExecutionException e) {
      return CallSite.caused(new ConnectException("no address of " + host), e.getCause());
    } catch (TimeoutException e) {
      throw JdkFailures.overBeforeSending("looking up " + host);
    } catch (IllegalStateException closed) { // as a CancellationException is
      throw CallSite.caused(JdkFailures.closed(), closed);
    }
  }

  private InetAddress[] lookUp(String host) throws UnknownHostException {
    long begun = System.nanoTime();
    InetAddress[] all = InetAddress.getAllByName(host);
    lookUpTook = System.nanoTime() - begun;
    return all;
  }

  /**
   * For how long nobody need look a name up again: for as long as the JVM keeps what it was told,
   * but where the answer was there at once, and so may be as old as that.
   */
  static long trusted(long took, long kept) {
    return took < INSTANT_NANOS ? Math.min(kept, SHORTLY_NANOS) : kept;
  }

  /** The name to look up; null if there is none. The JDK's client uses proxies for HTTP alone. */
  private static @Nullable String hostOf(URI uri, @Nullable ProxySelector proxies) {
    String host = uri.getHost();
    List<Proxy> proxy = proxies == null ? List.of() : proxies.select(uri);
    if (proxy != null && !proxy.isEmpty() && proxy.get(0).type() == Proxy.Type.HTTP) {
      host =
          proxy.get(0).address() instanceof InetSocketAddress its && its.isUnresolved()
              ? its.getHostString()
              : null;
    }
    boolean literal = host == null || host.startsWith("[") || host.matches("[0-9.]+");
    return literal ? null : host;
  }

  /**
   * Waits for a place.
   *
   * @return where the call must {@link #leave}; if that is not open, it must {@link #warmUp} when
   *     its connection stands
   * @throws TimeoutException if the deadline came first
   * @throws CancellationException if the client was closed
   */
  Lane enter(Deadline deadline) throws InterruptedException, TimeoutException {
    if (System.nanoTime() - leftAt > coldNanos && lanes.isIdle()) {
      cool(lanes.now());
    }
    Lane lane = lanes.now();
    return lane.tryEnter() ? lane : await(lane.ask(), deadline);
  }

  private Lane await(Exchange<InFlightLimit> turn, Deadline deadline)
      throws InterruptedException, TimeoutException {
    try {
      for (Lane at = lanes.now();
          !turn.awaitDone(deadline.earlier(patience())) && !deadline.isExpired();
          at = lanes.now()) {
        if (at == lanes.now()) {
          warmUp(at); // an outage holds up nobody for long
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // which the wait for the turn finds
    }
    try {
      return (Lane) turn.await(deadline);
    } catch (ExecutionException e) {
      throw new AssertionError("a turn does not fail here", e);
    }
  }

  private static Deadline patience() {
    return Deadline.afterNanos(TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS));
  }

  // ---- what a call finds ----------------------------------------------------------------------

  /** A connection stands, which all can share; or none can be made, which each may find himself. */
  void warmUp(Lane lane) {
    if (!lane.isOpen()) {
      int bound = bound();
      lane.open(bound); // wakes all that wait at it
      if (bound != bound()) { // it has just become known what is spoken
        lane.open(bound());
      }
    }
  }

  /** The connection that all share is lost, or may be: one call is to open the next. */
  void cool(Lane lane) {
    if (multiplexed && lane.isOpen() && lane == lanes.now()) {
      full = false;
      left.removeIf(each -> each.inFlight() == 0);
      left.add(lane);
      lane.left();
    }
  }

  /** How many calls may be if the server does not say otherwise. */
  private int bound() {
    return multiplexed ? Integer.MAX_VALUE : maxConnections;
  }

  /** The head of a response came. */
  void answered(Lane lane) {
    warmUp(lane);
    answered = true;
    if (hasLostItsStreams() && lane == lanes.now()) { // this one was not lost: it is elsewhere
      full = false;
      lane.open(bound());
    }
    streamsLost = Deadline.none();
  }

  /** What its connections speak. */
  void speaks(HttpClient.Version version) {
    boolean its = version != HttpClient.Version.HTTP_1_1;
    if (its != multiplexed) {
      multiplexed = its;
      if (lanes.now().isOpen()) {
        lanes.now().open(bound());
      }
    }
  }

  /** Whether that is HTTP/2, as far as is known. */
  boolean isMultiplexed() {
    return multiplexed;
  }

  /**
   * Whether a call has had an answer here before, and so may have met a connection that was idle.
   */
  boolean hasAnswered() {
    return answered;
  }

  /**
   * As {@link #enter}, for a call that was refused. Where it has none to wait for, as the streams
   * are not its lane's, it waits a moment, in its place: so one asks, and all others wait for it.
   */
  Lane enterAgain(Deadline deadline) throws InterruptedException, TimeoutException {
    Lane lane = enter(deadline);
    boolean stays = false;
    try {
      if (!streamsLost.isNone()) {
        Deadline moment = Deadline.afterNanos(TimeUnit.MILLISECONDS.toNanos(BACK_OFF_MILLIS));
        new Signal().await(deadline.earlier(moment)); // which nobody raises
        if (deadline.isExpired()) {
          throw new TimeoutException();
        }
      }
      stays = true;
      return lane;
    } finally {
      if (!stays) {
        leave(lane, false);
      }
    }
  }

  /** Whether the connection has no stream left, and nobody who could give one back. */
  boolean hasLostItsStreams() {
    return streamsLost.isExpired() && !isLeftInUse();
  }

  /** Whether a call is in a lane that was left: its connection may be that of now. */
  private boolean isLeftInUse() {
    return left.stream().anyMatch(each -> each.inFlight() > 0);
  }

  /**
   * A call is over.
   *
   * @param refused whether there was no stream for it: the others are as many as there may be
   */
  void leave(Lane lane, boolean refused) {
    if (refused) {
      full(lane);
    }
    leftAt = System.nanoTime();
    lane.leave();
    if (full && !refused && lane.isOpen() && lane == lanes.now()) {
      if (lane.waiting() == 0 && lane.inFlight() == 0) {
        full = false;
        lane.open(bound());
      } else if (caution.getAndUpdate(left -> Math.max(0, left - 1)) == 0) {
        letInOneMore(lane);
      }
    } else if (full && !refused && lane != lanes.now() && lanes.now().isOpen()) {
      letInOneMore(lanes.now()); // whose connection it may have been
    }
  }

  private static void letInOneMore(Lane lane) {
    lane.changeMax((max, inFlight) -> max == Integer.MAX_VALUE ? max : max + 1);
  }

  private void full(Lane lane) {
    full = true;
    caution.set(CAUTION);
    if (lane.inFlight() > 1) {
      streamsLost = Deadline.none();
    } else if (streamsLost.isNone() || isLeftInUse()) { // a stream that was refused ends none
      streamsLost = Deadline.afterNanos(TimeUnit.MILLISECONDS.toNanos(LOST_MILLIS));
    }
    lane.changeMax((max, inFlight) -> Math.max(1, inFlight - 1));
  }

  /** How many wait for a place. */
  int waiting() {
    return lanes.now().waiting();
  }

  /** Says who waits for a place. */
  void tell(CallReport report, String origin) {
    lanes.now().tell(report, "a call to " + origin);
  }

  boolean isIdle() {
    return lanes.isIdle();
  }

  /** Turns away all that wait. */
  void close() {
    lanes.close();
  }
}
