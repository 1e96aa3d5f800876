package io.heddle.bench.contestants;

import java.net.Authenticator;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.Proxy;
import java.net.URI;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * What a contestant asks for, again and again.
 *
 * @param uris asked one after the other, to spread calls over several addresses of one server; not
 *     empty
 * @param postBytes the length of a POST's body; {@link #GET} for a GET
 * @param streamed whether a response is read piece by piece; else it is gathered into an array, as
 *     most users do
 * @param retries whether a call goes again where the library's own settings have it so; if not, an
 *     error is an error, as far as the library lets that be set
 * @param via what the calls go through
 */
public record Ask(List<URI> uris, int postBytes, boolean streamed, boolean retries, Via via) {

  /**
   * A proxy on this machine, or none.
   *
   * @param port of no meaning if there is none
   * @param isTold whether it is told who comes, if it asks: {@link #USER}, with {@link #PASSWORD}
   */
  public record Via(Proxy.Type type, int port, boolean isTold) {
    public static final Via NOTHING = new Via(Proxy.Type.DIRECT, 0, false);
    public static final String USER = "bench";
    public static final String PASSWORD = "weave";

    /** Tells a client of the JDK's, or, as the JVM's own, its sockets. */
    public static Authenticator authenticator() {
      return new Authenticator() {
        @Override
        protected PasswordAuthentication getPasswordAuthentication() {
          return new PasswordAuthentication(USER, PASSWORD.toCharArray());
        }
      };
    }

    Proxy proxy() {
      return type == Proxy.Type.DIRECT ? Proxy.NO_PROXY : new Proxy(type, address());
    }

    InetSocketAddress address() {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }
  }

  public static final int GET = -1;

  public Ask {
    uris = List.copyOf(uris);
  }

  /** One whose errors are errors. */
  public Ask(List<URI> uris, int postBytes, boolean streamed) {
    this(uris, postBytes, streamed, false, Via.NOTHING);
  }

  public static Ask get(URI uri) {
    return new Ask(List.of(uri), GET, false);
  }

  boolean isTls() {
    return uris.get(0).getScheme().equals("https");
  }

  boolean isThrough(Proxy.Type type) {
    return via.type() == type;
  }

  /** Whether the proxy is told who comes. */
  boolean tellsProxy() {
    return via.isTold();
  }

  InetSocketAddress proxyAddress() {
    return via.address();
  }

  boolean isGet() {
    return postBytes == GET;
  }

  /** The body of a POST. */
  byte[] body() {
    return new byte[Math.max(0, postBytes)];
  }

  /** A library's requests, one for each URI. */
  <T> InTurn<T> requests(Function<URI, T> maker) {
    return new InTurn<>(uris.stream().map(maker).toList());
  }

  /** Things that are taken one after the other, by any thread. */
  static final class InTurn<T> {
    private final List<T> all;
    private final AtomicInteger taken = new AtomicInteger();

    InTurn(List<T> all) {
      this.all = List.copyOf(all);
    }

    T next() {
      int count = all.size();
      return count == 1 ? all.get(0) : all.get(Math.floorMod(taken.getAndIncrement(), count));
    }
  }
}
