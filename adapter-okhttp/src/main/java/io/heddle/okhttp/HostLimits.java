package io.heddle.okhttp;

import io.heddle.core.InFlightLimit;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import okhttp3.Connection;
import okhttp3.HttpUrl;
import okhttp3.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * As many calls to a host at a time as so many connections can carry: one each over HTTP/1.1; over
 * HTTP/2 as many as the server allows streams on each, once OkHttp has heard of it.
 *
 * <p>Calls to a cold server go step by step: over HTTP/1.1 {@value #CONNECTING} open connections
 * side by side, and each that has one lets in another, as handshakes take turns anyway, and may
 * time out. Where the server may speak HTTP/2 one call goes first, for the others to share its
 * connection, until the first answer. While that is long in coming, as many go after {@value
 * #PATIENCE_MILLIS} ms as may have a connection each, and twice as many whenever that has passed
 * again, so that an outage holds up nobody for long.
 *
 * <pre>{@code
 * the bound of a host
 *   HTTP/1.1       16 ──a call has a connection──▶ one more, up to maxConnections
 *   maybe HTTP/2    1 ──nothing for a while──▶ maxConnections ──again──▶ twice as many, …
 *                   │ a connection of HTTP/1.1: as above
 *                   │ SETTINGS say so many streams ──▶ maxConnections × streams
 *                   └ an answer, and no such figure ──▶ none
 * }</pre>
 */
final class HostLimits {

  static final int PATIENCE_MILLIS = 300;

  private static final int CONNECTING = 16;

  /** Above this, hosts that nobody calls are forgotten. */
  private static final int MANY = 1000;

  private final int maxConnections;
  private final List<Protocol> protocols;
  private final Map<String, Host> hosts = new ConcurrentHashMap<>();

  HostLimits(int maxConnections, List<Protocol> protocols) {
    this.maxConnections = maxConnections;
    this.protocols = protocols;
  }

  /** The place of a host, as it is now. */
  Host of(HttpUrl url) {
    String name = url.scheme() + "://" + url.host() + ":" + url.port();
    Host host = hosts.get(name);
    if (host == null) {
      if (hosts.size() > MANY) {
        hosts.values().removeIf(Host::isIdle);
      }
      Protocol shared = url.isHttps() ? Protocol.HTTP_2 : Protocol.H2_PRIOR_KNOWLEDGE;
      int first = protocols.contains(shared) ? 1 : Math.min(CONNECTING, maxConnections);
      host = hosts.computeIfAbsent(name, key -> new Host(first));
    }
    host.hear();
    return host;
  }

  /** One host, by scheme, name and port. */
  final class Host {
    private final InFlightLimit limit;

    // Written while the bound is changed, one thread at a time. No streams are known while 0.
    private int streams;
    private long grownAt = System.nanoTime();

    // Shared.
    private volatile WeakReference<@Nullable Connection> last = new WeakReference<>(null);
    private volatile boolean answered;

    private Host(int first) {
      this.limit = new InFlightLimit(first);
    }

    InFlightLimit limit() {
      return limit;
    }

    /** Whether the server has answered before, so that nobody need look at the time. */
    boolean isKnown() {
      return answered;
    }

    /** A request goes out over this connection. */
    void connected(Connection connection) {
      if (!connection.equals(last.get())) {
        last = new WeakReference<>(connection);
      }
      if (!OkHttpInternals.isMultiplexed(connection)) {
        limit.changeMax((max, in) -> Math.min(maxConnections, Math.max(CONNECTING, max + 1)));
      }
      hear();
    }

    /** The server has answered. */
    void answered() {
      answered = true;
      hear();
    }

    /** Somebody has waited for a while. */
    void isSlow() {
      hear();
      limit.changeMax(
          (max, in) -> {
            long now = System.nanoTime();
            boolean grows =
                !answered
                    && streams == 0
                    && now - grownAt >= TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
            grownAt = grows ? now : grownAt;
            return grows ? atMost(Math.max(maxConnections, 2L * max)) : max;
          });
    }

    /** What the server allows now; it may change its mind. */
    private void hear() {
      Connection connection = last.get();
      if (OkHttpInternals.isMultiplexed(connection)) {
        limit.changeMax(
            (max, in) -> {
              int now = OkHttpInternals.streams(connection);
              boolean heard = now < Integer.MAX_VALUE;
              streams = heard ? now : streams;
              if (streams == 0) {
                return heard || answered ? Integer.MAX_VALUE : max;
              }
              return atMost((long) maxConnections * streams);
            });
      }
    }

    private static int atMost(long calls) {
      return (int) Math.min(Integer.MAX_VALUE, calls);
    }

    private boolean isIdle() {
      return limit.inFlight() == 0 && limit.waiting() == 0;
    }
  }
}
