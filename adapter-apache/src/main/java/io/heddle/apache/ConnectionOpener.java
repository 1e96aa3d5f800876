package io.heddle.apache;

import io.heddle.core.CallEvent.Step;
import io.heddle.core.CallSite;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import io.heddle.core.HostResolver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.hc.client5.http.ConnectExceptionSupport;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.SchemePortResolver;
import org.apache.hc.client5.http.SystemDefaultDnsResolver;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.routing.RoutingSupport;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.URIScheme;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.http.nio.ssl.TlsStrategy;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.net.InetAddressUtils;
import org.apache.hc.core5.net.NamedEndpoint;
import org.apache.hc.core5.reactor.IOSession;
import org.apache.hc.core5.reactor.ProtocolIOSession;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Makes connections: looks names up, connects, secures. Blocking code for the caller's thread, one
 * step after the other; only the bytes move elsewhere.
 */
final class ConnectionOpener {

  private final Reactor reactor;
  private final TlsStrategy tlsStrategy;
  private final SchemePortResolver portResolver;
  private final DnsResolver dnsResolver;
  private final SocketConfig defaultSocketConfig;
  private final HostResolver<List<InetSocketAddress>> hostResolver;

  ConnectionOpener(
      ProtocolStarter protocols,
      TlsStrategy tlsStrategy,
      SchemePortResolver portResolver,
      DnsResolver dnsResolver,
      SocketConfig defaultSocketConfig,
      int ioThreads,
      int resolverThreads) {
    this.reactor = new Reactor(protocols, defaultSocketConfig, ioThreads);
    this.tlsStrategy = tlsStrategy;
    this.portResolver = portResolver;
    this.dnsResolver = dnsResolver;
    this.defaultSocketConfig = defaultSocketConfig;
    this.hostResolver = new HostResolver<>("heddle-apache-resolver", resolverThreads);
  }

  /** How a connection is to be made. */
  record Plan(
      HttpRoute route,
      TlsConfig tlsConfig,
      SocketConfig socketConfig,
      Timeout connectTimeout,
      Deadline callDeadline) {

    /** The host that the first connection goes to. */
    HttpHost firstHop() {
      HttpHost proxy = route.getProxyHost();
      return proxy != null ? proxy : route.getTargetHost();
    }

    /** Who has to prove who it is when TLS begins with the first hop. */
    NamedEndpoint firstHopName() {
      HttpHost proxy = route.getProxyHost();
      return proxy != null ? proxy : targetName();
    }

    /** Who has to prove who it is at the end of the route. */
    NamedEndpoint targetName() {
      NamedEndpoint name = route.getTargetName();
      return name != null ? name : route.getTargetHost();
    }

    /** What is spoken with the first hop. A tunnel begins with CONNECT, which is HTTP/1.1 here. */
    HttpVersionPolicy firstHopPolicy() {
      if (route.isTunnelled()) {
        return HttpVersionPolicy.FORCE_HTTP_1;
      }
      HttpVersionPolicy policy = tlsConfig.getHttpVersionPolicy();
      boolean secure = URIScheme.HTTPS.same(firstHop().getSchemeName());
      return !secure && policy == HttpVersionPolicy.NEGOTIATE
          ? HttpVersionPolicy.FORCE_HTTP_1 // only TLS negotiates
          : policy;
    }

    Timeout handshakeTimeout() {
      Timeout own = tlsConfig.getHandshakeTimeout();
      return own != null ? own : connectTimeout;
    }

    Deadline deadline(Timeout timeout) {
      return CallDeadline.after(timeout).earlier(callDeadline);
    }
  }

  /** The options that the reactor sets on every socket. */
  SocketConfig defaultSocketConfig() {
    return defaultSocketConfig;
  }

  // ---- caller -------------------------------------------------------------------------------

  /** Connects to the first address of the route's first hop that accepts. */
  ReactorConnection open(Plan plan, CancellableWaits waits) throws IOException {
    HttpHost host = RoutingSupport.normalize(plan.firstHop(), portResolver);
    List<SocketAddress> addresses = addressesOf(plan, host, waits);
    IOException failure = new UnknownHostException(host.getHostName());
    for (SocketAddress address : addresses) {
      try {
        return connect(plan, host, address, addresses, waits);
      } catch (IOException e) {
        failure = e;
        if (Thread.currentThread().isInterrupted() || plan.callDeadline().isExpired()) {
          break; // the next address would not be waited for either
        }
      }
    }
    throw failure;
  }

  /** Goes on over TLS, through a tunnel or after a 101. */
  void upgrade(ReactorConnection connection, Plan plan, Timeout patience, CancellableWaits waits)
      throws IOException {
    Exchange<ReactorConnection> ready = new Exchange<>();
    ready.onAbandon(() -> connection.close(CloseMode.IMMEDIATE));
    connection.upgrade(
        ready,
        (session, callback) ->
            tlsStrategy.upgrade(session, plan.targetName(), plan.tlsConfig(), null, callback));
    ApacheFailures.Wait failure =
        new ApacheFailures.Wait(
            "securing the connection", plan.callDeadline(), "TLS handshake timed out");
    waits.await(
        Step.CONNECTION,
        ready,
        plan.deadline(patience),
        end -> end instanceof ExecutionException e ? asIo(e) : failure.apply(end));
  }

  private List<SocketAddress> addressesOf(Plan plan, HttpHost host, CancellableWaits waits)
      throws IOException {
    if (plan.route().getUnixDomainSocket() != null) {
      return List.of(UnixDomainSocketAddress.of(plan.route().getUnixDomainSocket()));
    }
    InetAddress address = host.getAddress();
    if (address != null) {
      return List.of(new InetSocketAddress(address, host.getPort()));
    }
    List<InetSocketAddress> found =
        isAddress(host.getHostName())
            ? dnsResolver.resolve(host.getHostName(), host.getPort()) // which asks nobody
            : lookUp(plan, host, waits);
    if (found == null || found.isEmpty()) {
      throw new UnknownHostException(host.getHostName());
    }
    return new ArrayList<>(found);
  }

  /** Whether the resolver has nothing to look up; a user's may do so all the same. */
  private boolean isAddress(String host) {
    return dnsResolver.getClass() == SystemDefaultDnsResolver.class
        && (InetAddressUtils.isIPv4(host) || InetAddressUtils.isIPv6(host));
  }

  private @Nullable List<InetSocketAddress> lookUp(Plan plan, HttpHost host, CancellableWaits waits)
      throws IOException {
    Exchange<List<InetSocketAddress>> looking =
        hostResolver.resolve(
            host.getHostName() + ":" + host.getPort(),
            () -> dnsResolver.resolve(host.getHostName(), host.getPort()));
    ApacheFailures.Wait failure =
        new ApacheFailures.Wait(
            "looking up " + host.getHostName(), plan.callDeadline(), "Name look-up timed out");
    return waits.await(
        Step.NAME,
        looking,
        plan.callDeadline(),
        end -> {
          if (end.getCause() instanceof RuntimeException ofResolver) { // the user's own
            throw ofResolver;
          }
          return failure.apply(end); // fresh: callers share look-ups
        });
  }

  private ReactorConnection connect(
      Plan plan,
      HttpHost host,
      SocketAddress address,
      List<SocketAddress> all,
      CancellableWaits waits)
      throws IOException {
    Exchange<ReactorConnection> bound = new Exchange<>();
    Exchange<ReactorConnection> ready = new Exchange<>();
    ReactorConnection connection = new ReactorConnection(plan.firstHopPolicy(), bound, ready);
    boolean open = false;
    Future<IOSession> connecting =
        reactor.connect(
            running ->
                running.connect(
                    host,
                    address,
                    plan.route().getLocalSocketAddress(),
                    plan.connectTimeout(), // its clock is coarse: for what we have given up
                    connection,
                    new Connected(plan, connection)));
    Function<Exception, IOException> failure =
        end -> notConnected(end, connection.isBound(), plan, all);
    try {
      waits.await(Step.CONNECTION, bound, plan.deadline(plan.connectTimeout()), failure);
      waits.await(Step.CONNECTION, ready, plan.deadline(plan.handshakeTimeout()), failure);
      open = true;
      return connection;
    } finally {
      if (!open) {
        connecting.cancel(true);
        connection.close(CloseMode.IMMEDIATE);
      }
    }
  }

  private static IOException notConnected(
      Exception end, boolean bound, Plan plan, List<SocketAddress> tried) {
    if (end instanceof ExecutionException e) {
      return enhanced(asIo(e), plan, tried);
    }
    if (end instanceof TimeoutException && !plan.callDeadline().isExpired()) {
      // As blocking sockets say it: connect times out, and then a read of the handshake.
      String what = bound ? "Read timed out" : "Connect timed out";
      return enhanced(new SocketTimeoutException(what), plan, tried);
    }
    return new ApacheFailures.Wait("connecting", plan.callDeadline(), "").apply(end);
  }

  /** As the classic client tells of it: with the host and the addresses that were tried. */
  private static IOException enhanced(IOException cause, Plan plan, List<SocketAddress> tried) {
    InetAddress[] addresses =
        tried.stream()
            .filter(InetSocketAddress.class::isInstance)
            .map(address -> ((InetSocketAddress) address).getAddress())
            .toArray(InetAddress[]::new);
    return CallSite.attach(ConnectExceptionSupport.enhance(cause, plan.firstHop(), addresses));
  }

  private static IOException asIo(ExecutionException end) {
    return ApacheFailures.whileConnecting(Objects.requireNonNull(end.getCause()));
  }

  // ---- I/O thread ---------------------------------------------------------------------------

  /** TCP is connected: sets the socket up and begins TLS, if that is what the first hop speaks. */
  private final class Connected extends ReactorConnection.Step<IOSession> {
    private final Plan plan;

    Connected(Plan plan, ReactorConnection connection) {
      super(connection);
      this.plan = plan;
    }

    @Override
    public void completed(IOSession session) {
      try {
        if (!plan.socketConfig().equals(defaultSocketConfig)
            && session.channel() instanceof SocketChannel channel) {
          configure(channel, plan.socketConfig());
        }
        if (URIScheme.HTTPS.same(plan.firstHop().getSchemeName())) {
          tlsStrategy.upgrade(
              (ProtocolIOSession) session,
              plan.firstHopName(),
              TlsConfig.copy(plan.tlsConfig()).setVersionPolicy(plan.firstHopPolicy()).build(),
              null, // the caller's own clock ends the handshake
              new ReactorConnection.Step<>(of));
        }
      } catch (IOException | RuntimeException e) {
        failed(e);
        session.close(CloseMode.IMMEDIATE);
      } catch (Error e) { // of a TLS strategy of the user's
        failed(GuardedSession.asFailure(e));
        session.close(CloseMode.IMMEDIATE);
      }
    }
  }

  /** What differs from the default, which the reactor has set already. */
  private static void configure(SocketChannel channel, SocketConfig config) throws IOException {
    if (!channel.supportedOptions().contains(StandardSocketOptions.TCP_NODELAY)) {
      return; // a Unix domain socket
    }
    channel.setOption(StandardSocketOptions.TCP_NODELAY, config.isTcpNoDelay());
    channel.setOption(StandardSocketOptions.SO_KEEPALIVE, config.isSoKeepAlive());
    if (config.getSndBufSize() > 0) {
      channel.setOption(StandardSocketOptions.SO_SNDBUF, config.getSndBufSize());
    }
    if (config.getRcvBufSize() > 0) {
      channel.setOption(StandardSocketOptions.SO_RCVBUF, config.getRcvBufSize());
    }
    int linger = config.getSoLinger().toSecondsIntBound();
    if (linger >= 0) {
      channel.setOption(StandardSocketOptions.SO_LINGER, linger);
    }
  }

  /** Ends look-ups and the reactor. */
  void close(CloseMode closeMode) {
    hostResolver.close();
    reactor.close(closeMode);
  }
}
