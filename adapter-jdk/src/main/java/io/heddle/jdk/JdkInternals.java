package io.heddle.jdk;

import java.io.EOFException;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.security.Security;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What Heddle takes from the JDK's client beyond its documentation: texts of failures, and names of
 * classes and threads. Seen in JDK 21.0.8, 25.0.3, 26.0.2 and 27.0.1; {@code JdkInternalsTest} and
 * {@code GatheredBodyTest} fail first when one changes.
 */
final class JdkInternals {

  /** {@code Http2Connection.reserveStream}: the call had no stream, and nothing was sent. */
  private static final String NO_STREAM = "too many concurrent streams";

  /** {@code Stream.handleReset} and {@code closeAsUnprocessed}, of which the client resends one. */
  private static final String UNPROCESSED = "request not processed by peer";

  /**
   * The same in older releases, as {@code ErrorFrame.stringForCode(REFUSED_STREAM)} has it; 21.0.8
   * says {@link #UNPROCESSED}.
   */
  private static final String REFUSED = "Received RST_STREAM: Stream not processed";

  /**
   * {@code WindowController.tryAcquire}, from 24 on: an upload looks for a window of a stream that
   * is closed. What resets or cancels a stream has failed its upload by then; this was {@code
   * closeAsUnprocessed}, which forgets to.
   */
  private static final String NO_ENTRY = "Expected entry for streamid";

  private static final String RESET = "RST_STREAM";

  /**
   * {@code SocketTube.signalClosed}: over HTTP/1.1 the client's timer ends the connection, and
   * tells the body of that on another thread; the end of the connection may be there first. A call
   * that is cancelled as it ends may close the connection that another has by then ({@code
   * Http1Exchange.cancelImpl}).
   */
  private static final String CLOSED_HERE = "connection closed locally";

  /**
   * By how much a timer of the client's may ring early, as it counts in ms ({@code
   * HttpClientImpl.purgeTimeoutsAndReturnNextDeadline}). What it cancels may go on over HTTP/2:
   *
   * <ul>
   *   <li>{@code Stream.registerStream} looks whether the call is cancelled, and gives it a stream
   *       then. Who cancels it in between, in {@code cancelImpl}, finds none to reset.
   *   <li>{@code Exchange.cancel} cancels the attempt that has ended, where the client makes
   *       another and waits for its connection. To cancel it once more does nothing ({@code
   *       MultiExchange.cancel}).
   * </ul>
   *
   * <p>The client then goes on to subscribe to the request's body. If that throws, it resets the
   * stream ({@code Stream.sendBodyImpl}).
   */
  static final long TIMER_EARLY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /**
   * Whether a request's timeout goes on in the body of the response: from JDK 26 on (JDK-8208693).
   * So none may be set that is for the head alone.
   */
  static final boolean TIMES_BODIES = Runtime.version().feature() >= 26;

  /**
   * Whether the client repeats what was not processed several times, up to its limit for redirects
   * ({@code MultiExchange.checkRetryEligible}), and no longer once: from JDK 26 on.
   */
  static final boolean REPEATS_OFTEN = TIMES_BODIES;

  private static final Set<Class<?>> GATHERING =
      Set.copyOf( // which may hold one twice
          List.of(
              BodySubscribers.ofByteArray().getClass(), BodySubscribers.discarding().getClass()));

  /** {@code BodySubscribers.limiting}; null where there is none. */
  private static final @Nullable MethodHandle LIMITING = limiting();

  /** {@code ofString} gives a subclass of what {@code ofByteArray} gives. */
  private static final Set<Class<?>> IN_MEMORY =
      Set.copyOf(
          List.of(
              BodyPublishers.ofByteArray(new byte[0]).getClass(),
              BodyPublishers.ofString("").getClass(),
              BodyPublishers.noBody().getClass()));

  private static final int DEFAULT_TTL_SECONDS = 30;
  private static final int DEFAULT_IDLE_SECONDS = 30;

  private JdkInternals() {}

  /**
   * Whether this thread runs all I/O of a client: {@code HttpClientImpl.SelectorManager}, which
   * from JDK 26 on is a virtual thread. It is known by its name.
   */
  static boolean isSelector(Thread thread) {
    String name = thread.getName();
    return name.startsWith("HttpClient-") && name.endsWith("-SelectorManager");
  }

  /** Whether what takes a request's body sends it over HTTP/2: {@code Stream.RequestSubscriber}. */
  static boolean isOfHttp2(Flow.Subscriber<?> client) {
    return client.getClass().getName().endsWith(".Stream$RequestSubscriber");
  }

  /** The same for HTTP/3, from JDK 26 on: {@code Http3ExchangeImpl.RequestSubscriber}. */
  static boolean isOfHttp3(Flow.Subscriber<?> client) {
    return client.getClass().getName().endsWith("Http3ExchangeImpl$RequestSubscriber");
  }

  /**
   * Whether this is a subscriber of the JDK's own that takes all at once, and has its result when
   * the body ends: {@code ofByteArray}, {@code ofString}, {@code discarding}, {@code replacing}.
   * Such a one is asked for its result where the client is; any other on the client's executor,
   * since that may wait ({@code ResponseSubscribers.getBodyAsync}).
   */
  static boolean gathers(BodySubscriber<?> user) {
    return GATHERING.contains(user.getClass());
  }

  /**
   * The same body, but asked for its result where the client is, without a hand-over to the
   * client's executor; which this must allow: what {@link #gathers} does, and a stream of ours.
   * From JDK 25 on: the client trusts {@code limiting}, whatever that limits.
   */
  @SuppressWarnings("unchecked") // of one type
  static <T> BodySubscriber<T> askedInPlace(BodySubscriber<T> body) {
    if (LIMITING == null) {
      return body;
    }
    try {
      return (BodySubscriber<T>) LIMITING.invoke(body, Long.MAX_VALUE);
    } catch (Throwable e) { // which it does not throw
      return body;
    }
  }

  private static @Nullable MethodHandle limiting() {
    try {
      return MethodHandles.lookup()
          .findStatic(
              BodySubscribers.class,
              "limiting",
              MethodType.methodType(BodySubscriber.class, BodySubscriber.class, long.class));
    } catch (ReflectiveOperationException e) { // before JDK 25
      return null;
    }
  }

  /** Whether this is a body of the JDK's own that is in memory: whoever asks it never waits. */
  static boolean isInMemory(BodyPublisher body) {
    return IN_MEMORY.contains(body.getClass());
  }

  /** How a version is written: HTTP/1.1, HTTP/2, from JDK 26 on HTTP/3. */
  static String nameOf(HttpClient.Version version) {
    if (version == HttpClient.Version.HTTP_1_1) {
      return "HTTP/1.1";
    }
    return version == HttpClient.Version.HTTP_2 ? "HTTP/2" : "HTTP/3";
  }

  /** Whether an HTTP/2 connection had no stream left: nothing was sent. */
  static boolean hadNoStream(IOException failure) {
    return says(failure, NO_STREAM);
  }

  /**
   * Whose call does not get the HTTP/2 connection that the others share, but one of its own, which
   * further calls share: {@code Http2Connection.reserveStream} takes it for one that may be pushed
   * to. That is the way to be rid of a connection that has lost its streams: {@code
   * registerNewStream} does not count off the stream of a call that was cancelled by then. There is
   * none where the connection is such a one already.
   */
  static <T> PushPromiseHandler<T> onAnotherConnection() {
    return (request, pushed, acceptor) -> {}; // which refuses the push
  }

  /** Whether the server said that it did not process the request: any may go again. */
  static boolean wasNotProcessed(IOException failure) {
    return says(failure, UNPROCESSED) || says(failure, REFUSED) || says(failure, NO_ENTRY);
  }

  /**
   * How many requests with a body the client has begun when the first of them fails so: {@code
   * MultiExchange.getExceptionalCF} repeats what was not processed once. Negative where as many are
   * begun when the target of a redirect, which has no body, fails so: before JDK 24; and from JDK
   * 26 on, where the origin may have taken the last of several.
   */
  static int triesOf(IOException failure) {
    if (says(failure, NO_STREAM)) {
      return 0;
    } else if (REPEATS_OFTEN) {
      return -1;
    }
    return says(failure, UNPROCESSED) ? 2 : says(failure, NO_ENTRY) ? 1 : -1;
  }

  /** Whether it may have been the client's own timer. */
  static boolean isOfTimer(IOException failure) {
    return failure instanceof HttpTimeoutException || wasClosedHere(failure);
  }

  /** Whether the client itself has closed the connection: it, or its timer, or another call. */
  static boolean wasClosedHere(IOException failure) {
    return says(failure, CLOSED_HERE);
  }

  /**
   * Whether the connection ended before a response began, so that an idempotent call may go again.
   */
  static boolean lostConnection(IOException failure) {
    if (failure instanceof HttpTimeoutException || says(failure, RESET)) {
      return false;
    }
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof ConnectException) {
        return false; // there was none
      }
      if (each instanceof EOFException
          || each instanceof SocketException
          || each instanceof ClosedChannelException) {
        return true;
      }
    }
    return wasClosedHere(failure)
        || says(failure, "GOAWAY")
        || says(failure, "Broken pipe")
        || says(failure, "reset by peer");
  }

  /** For how long the JVM remembers an address, in ns: {@code sun.net.InetAddressCachePolicy}. */
  static long lookUpNanos() {
    @Nullable String ttl = Security.getProperty("networkaddress.cache.ttl");
    int seconds = Integer.getInteger("sun.net.inetaddr.ttl", DEFAULT_TTL_SECONDS);
    if (ttl != null) {
      try {
        seconds = Integer.parseInt(ttl.strip());
      } catch (NumberFormatException e) {
        seconds = DEFAULT_TTL_SECONDS; // as the JVM has it
      }
    }
    return TimeUnit.SECONDS.toNanos(seconds < 0 ? Integer.MAX_VALUE : seconds);
  }

  /** For how long the client keeps an idle connection of HTTP/2, in ns. */
  static long idleNanos() {
    long any = idleSeconds("jdk.httpclient.keepalive.timeout", DEFAULT_IDLE_SECONDS);
    return TimeUnit.SECONDS.toNanos(idleSeconds("jdk.httpclient.keepalive.timeout.h2", any));
  }

  /** As {@code HttpClientImpl.getTimeoutProp} has it, which reads {@code net.properties}, too. */
  private static long idleSeconds(String property, long other) {
    long seconds = Long.getLong(property, other);
    return seconds < 0 ? other : seconds;
  }

  private static boolean says(IOException failure, String text) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (String.valueOf(each.getMessage()).contains(text)) {
        return true;
      }
    }
    return false;
  }
}
