package io.heddle.apache;

import java.net.URISyntaxException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.ProtocolException;
import org.apache.hc.core5.http.message.HttpRequestWrapper;
import org.apache.hc.core5.http2.impl.DefaultH2RequestConverter;
import org.apache.hc.core5.net.URIAuthority;
import org.jspecify.annotations.Nullable;

/**
 * A request as the engine is to see it, without a change to the caller's own.
 *
 * <p>Over HTTP/2 the headers that belong to an HTTP/1.1 connection are left out (RFC 9113, 8.2.2).
 * On both protocols {@code Expect} is sent but not shown to the engine, so that it does not wait
 * for a 100 on its own: the classic request executor does, with its own timeout.
 */
final class WireRequest extends HttpRequestWrapper {

  private static final Set<String> OF_THE_CONNECTION = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

  static {
    OF_THE_CONNECTION.addAll(
        Set.of(
            HttpHeaders.CONNECTION,
            HttpHeaders.KEEP_ALIVE,
            "Proxy-Connection",
            HttpHeaders.HOST, // it goes as :authority (RFC 9113, 8.3.1)
            HttpHeaders.TRANSFER_ENCODING,
            HttpHeaders.UPGRADE,
            "HTTP2-Settings"));
  }

  private final boolean multiplexed;
  private final @Nullable URIAuthority authority;

  private WireRequest(HttpRequest request, boolean multiplexed, @Nullable URIAuthority authority) {
    super(request);
    this.multiplexed = multiplexed;
    this.authority = authority;
  }

  /**
   * The request for this protocol.
   *
   * @throws ProtocolException over HTTP/2, if there is a Host header that names no host, or a
   *     header that cannot be sent
   */
  static WireRequest of(HttpRequest request, boolean multiplexed) throws HttpException {
    if (!multiplexed) {
      return new WireRequest(request, false, request.getAuthority());
    }
    WireRequest made = new WireRequest(request, true, authority(request));
    if (!isPlain(request)) {
      // Throws what the engine would. But by then that has a stream, and resets it unopened: the
      // server ends the connection for it, and all that is on it (RFC 9113, 5.1).
      DefaultH2RequestConverter.INSTANCE.convert(made);
    }
    return made;
  }

  /** Whether all headers are such that nobody refuses them: most are, and are not copied. */
  private static boolean isPlain(HttpRequest request) {
    for (Iterator<Header> all = request.headerIterator(); all.hasNext(); ) {
      Header header = all.next();
      if (!isPlainName(header.getName()) || !isPlainValue(header.getValue())) {
        return false;
      }
    }
    return true;
  }

  private static boolean isPlainName(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
      if (!letter && c != '-' && (c < '0' || c > '9')) {
        return false;
      }
    }
    return true;
  }

  private static boolean isPlainValue(@Nullable String value) {
    for (int i = 0; value != null && i < value.length(); i++) {
      if (value.charAt(i) < ' ' || value.charAt(i) > '~') {
        return false;
      }
    }
    return true;
  }

  /** A Host header may name another host than the request's URI: that is who is asked. */
  private static @Nullable URIAuthority authority(HttpRequest request) throws ProtocolException {
    Header host = request.getFirstHeader(HttpHeaders.HOST);
    if (host == null || host.getValue() == null || host.getValue().isBlank()) {
      return request.getAuthority();
    }
    String named = host.getValue().trim();
    URIAuthority own = request.getAuthority();
    if (own != null && named.equals(own.toString())) { // as nearly always: nothing to parse
      return own;
    }
    try {
      return URIAuthority.create(named);
    } catch (URISyntaxException e) {
      throw new ProtocolException("the Host header names no host: " + host.getValue(), e);
    }
  }

  @Override
  public @Nullable URIAuthority getAuthority() {
    return authority;
  }

  @Override
  public @Nullable Header getFirstHeader(String name) {
    return HttpHeaders.EXPECT.equalsIgnoreCase(name) ? null : super.getFirstHeader(name);
  }

  @Override
  public Iterator<Header> headerIterator() {
    Iterator<Header> all = super.headerIterator();
    return multiplexed ? new EndToEnd(all) : all;
  }

  private static final class EndToEnd implements Iterator<Header> {
    private final Iterator<Header> all;
    private @Nullable Header next;

    EndToEnd(Iterator<Header> all) {
      this.all = all;
      advance();
    }

    private void advance() {
      next = null;
      while (next == null && all.hasNext()) {
        Header header = all.next();
        if (!isLeftOut(header)) {
          next = header;
        }
      }
    }

    private static boolean isLeftOut(Header header) {
      String name = header.getName();
      // TE may say "trailers", and nothing else.
      return OF_THE_CONNECTION.contains(name)
          || (HttpHeaders.TE.equalsIgnoreCase(name)
              && !"trailers".equalsIgnoreCase(header.getValue()));
    }

    @Override
    public boolean hasNext() {
      return next != null;
    }

    @Override
    public Header next() {
      Header header = next;
      if (header == null) {
        throw new NoSuchElementException();
      }
      advance();
      return header;
    }
  }
}
