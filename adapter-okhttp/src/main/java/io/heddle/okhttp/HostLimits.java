package io.heddle.okhttp;

import io.heddle.core.InFlightLimit;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
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
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by lock. No streams are known while they are 0.
    private int max;
    private int streams;
    private long grownAt = System.nanoTime();
    private @Nullable WeakReference<Connection> last;

    private volatile boolean answered;

    private Host(int first) {
      this.max = first;
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
      lock.lock();
      try {
        if (last == null || !connection.equals(last.get())) {
          last = new WeakReference<>(connection);
        }
        if (!OkHttpInternals.isMultiplexed(connection)) {
          change(Math.min(maxConnections, Math.max(CONNECTING, max + 1)));
        }
      } finally {
        lock.unlock();
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
      lock.lock();
      try {
        long now = System.nanoTime();
        if (!answered
            && streams == 0
            && now - grownAt >= TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS)) {
          grownAt = now;
          change((int) Math.min(Integer.MAX_VALUE, Math.max(maxConnections, 2L * max)));
        }
      } finally {
        lock.unlock();
      }
    }

    /** What the server allows now; it may change its mind. */
    private void hear() {
      lock.lock();
      try {
        Connection connection = last == null ? null : last.get();
        if (connection == null || !OkHttpInternals.isMultiplexed(connection)) {
          return;
        }
        int heard = OkHttpInternals.streams(connection);
        if (heard < Integer.MAX_VALUE) {
          streams = heard;
        } else if (streams == 0 && !answered) {
          return;
        }
        long all = (long) maxConnections * (streams == 0 ? Integer.MAX_VALUE : streams);
        change((int) Math.min(Integer.MAX_VALUE, all));
      } finally {
        lock.unlock();
      }
    }

    private void change(int now) {
      if (now != max) {
        max = now;
        limit.setMax(now);
      }
    }

    private boolean isIdle() {
      return limit.inFlight() == 0 && limit.waiting() == 0;
    }
  }
}
