package io.heddle.okhttp;

import io.heddle.Deadline;
import java.io.IOException;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.internal.connection.RealConnection;
import org.jspecify.annotations.Nullable;

/**
 * The {@link ConnectionGate} of each host, and how OkHttp's calls come to it. OkHttp asks which
 * proxy to use when it has found no connection in its pool, and looks there once more before it
 * opens one: this is where a call waits. The last interceptor of the user's side and the first of
 * the network's say the rest.
 *
 * <p>Only calls that run on a worker have a ticket. Those that are enqueued, and web sockets, pass.
 */
final class ConnectionGates extends ProxySelector {

  /** Above this, gates of hosts that nobody calls are given up. */
  private static final int MANY = 1000;

  /** How often a call goes on after OkHttp has given up, since the server refuses streams. */
  private static final int REFUSALS = 20;

  /** Known by its name: it is not for everybody, if OkHttp is a module. */
  private static final String STREAM_RESET = "okhttp3.internal.http2.StreamResetException";

  private static final ThreadLocal<@Nullable CallTicket> CURRENT = new ThreadLocal<>();

  private record Host(String scheme, String name, int port) {}

  private final int maxConnections;
  private final boolean overTls;
  private final boolean overTcp;
  private final @Nullable Proxy proxy;
  private final ProxySelector selector;
  private final boolean retries;
  private final Map<Host, ConnectionGate> gates = new ConcurrentHashMap<>();

  private ConnectionGates(OkHttpClient client, int maxConnections) {
    this.maxConnections = maxConnections;
    this.overTls = client.protocols().contains(Protocol.HTTP_2);
    this.overTcp = client.protocols().contains(Protocol.H2_PRIOR_KNOWLEDGE);
    this.proxy = client.proxy();
    this.selector = client.proxySelector();
    this.retries = client.retryOnConnectionFailure();
  }

  /**
   * Puts gates into an engine.
   *
   * @param engine about to be built, for calls on workers
   * @param client whose settings it has
   * @param maxConnections to each host; {@link Integer#MAX_VALUE} for any number
   * @return null if none of its calls would ever wait there
   */
  static @Nullable ConnectionGates install(
      OkHttpClient.Builder engine, OkHttpClient client, int maxConnections) {
    ConnectionGates gates = new ConnectionGates(client, maxConnections);
    if (maxConnections == Integer.MAX_VALUE && !gates.overTls && !gates.overTcp) {
      return null;
    }
    engine.proxy(null).proxySelector(gates);
    engine.interceptors().add(gates::enter);
    engine.networkInterceptors().add(0, ConnectionGates::pass);
    return gates;
  }

  // ---- caller -------------------------------------------------------------------------------

  /** Whether this is a worker, whose call makes another. */
  static boolean isWithinCall() {
    return CURRENT.get() != null;
  }

  CallTicket ticket(Call call, Deadline lease) {
    return new CallTicket(this, call, lease);
  }

  /** Null if no call to it ever waits. */
  @Nullable ConnectionGate of(HttpUrl url) {
    boolean multiplexes = url.isHttps() ? overTls : overTcp;
    if (!multiplexes && maxConnections == Integer.MAX_VALUE) {
      return null;
    }
    Host host = new Host(url.scheme(), url.host(), url.port());
    ConnectionGate gate = gates.get(host);
    if (gate != null) {
      return gate;
    }
    if (gates.size() > MANY) {
      gates.values().removeIf(ConnectionGate::isIdle);
    }
    return gates.computeIfAbsent(host, key -> new ConnectionGate(maxConnections, multiplexes));
  }

  // ---- worker -------------------------------------------------------------------------------

  /** Runs a call of OkHttp's with its ticket. */
  static Response run(@Nullable CallTicket ticket, OkHttpExchange.Work work) throws IOException {
    CURRENT.set(ticket);
    try {
      return work.run();
    } finally {
      CURRENT.remove();
    }
  }

  /** On the user's side, after the user's own interceptors. */
  private Response enter(Interceptor.Chain chain) throws IOException {
    CallTicket current = CURRENT.get();
    if (current == null) {
      return chain.proceed(chain.request());
    }
    if (!current.isOf(chain.call())) { // another call of OkHttp's own, on the same thread
      CURRENT.remove();
      try {
        return chain.proceed(chain.request());
      } finally {
        CURRENT.set(current);
      }
    }
    int refusals = 0;
    while (true) {
      try {
        current.begin(chain.request().url());
        return chain.proceed(chain.request());
      } catch (CallTicket.Again e) {
        // the state has changed meanwhile
      } catch (CallTicket.Refused e) {
        throw e.failure();
      } catch (IOException e) {
        refusals++;
        if (!mayRepeat(e, chain, current) || refusals > REFUSALS) {
          throw e;
        }
      } finally {
        current.failed(); // does nothing if it has a connection
      }
    }
  }

  /**
   * Whether the server has refused a stream, and has not answered anything: so it has processed
   * nothing (RFC 9113, 8.7). OkHttp itself gives up at the second refusal.
   */
  private boolean mayRepeat(IOException failure, Interceptor.Chain chain, CallTicket ticket) {
    RequestBody body = chain.request().body();
    return retries
        && !ticket.isAnswered()
        && (body == null || !body.isOneShot())
        && failure.getClass().getName().equals(STREAM_RESET)
        && String.valueOf(failure.getMessage()).endsWith("REFUSED_STREAM")
        && !chain.call().isCanceled();
  }

  /** On the network's side, before the user's own interceptors. */
  private static Response pass(Interceptor.Chain chain) throws IOException {
    CallTicket current = CURRENT.get();
    if (current == null) {
      return chain.proceed(chain.request());
    }
    current.connected(chain.request().url(), chain.connection());
    Response response = chain.proceed(chain.request());
    current.answered(chain.connection());
    return response;
  }

  @Override
  public List<Proxy> select(URI uri) {
    CallTicket current = CURRENT.get();
    HttpUrl url = current == null ? null : HttpUrl.get(uri);
    if (current != null && url != null) {
      current.beforeOpening(url);
    }
    return proxy == null ? selector.select(uri) : List.of(proxy);
  }

  @Override
  public void connectFailed(URI uri, SocketAddress address, IOException failure) {
    if (proxy == null) {
      selector.connectFailed(uri, address, failure);
    }
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** Whether no further call will use it. */
  static boolean isRetired(Connection connection) {
    if (connection.socket().isClosed()) {
      return true;
    }
    try {
      return connection instanceof RealConnection real && real.getNoNewExchanges();
    } catch (LinkageError e) { // another OkHttp, or one that is a module
      return false;
    }
  }

  /** Whether the server has said how many streams there may be, as far as can be known. */
  static boolean knowsStreams(Connection connection) {
    return streams(connection) < Integer.MAX_VALUE;
  }

  /** How many streams are left on a connection of HTTP/2, as far as can be known. */
  static int streamsLeft(Connection connection) {
    if (connection.protocol() == Protocol.HTTP_1_1) {
      return 0;
    }
    int streams = streams(connection);
    return streams < Integer.MAX_VALUE && connection instanceof RealConnection real
        ? Math.max(0, streams - real.getCalls().size())
        : Integer.MAX_VALUE;
  }

  private static int streams(Connection connection) {
    try {
      return connection instanceof RealConnection real
          ? real.getAllocationLimit$okhttp()
          : Integer.MAX_VALUE;
    } catch (LinkageError e) { // OkHttp 4, or one that is a module
      return Integer.MAX_VALUE;
    }
  }

  /**
   * Without a limit, by the user's own: OkHttp shares a connection between clients whose selectors
   * are equal. With one, whose connections are counted, by identity.
   */
  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof ConnectionGates that
            && maxConnections == Integer.MAX_VALUE
            && that.maxConnections == Integer.MAX_VALUE
            && selector.equals(that.selector)
            && Objects.equals(proxy, that.proxy));
  }

  @Override
  public int hashCode() {
    return Objects.hash(selector, proxy);
  }

  @Override
  public String toString() {
    return Objects.toString(proxy, selector.toString());
  }
}
