package io.heddle.bench.servers;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heddle.bench.contestants.Certificate;
import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.servers.RealServer.Port;
import io.heddle.bench.servers.RealServer.Product;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The servers that are installed here start, serve and end, and their refusals are counted. */
@Timeout(600) // a busy machine may take minutes to compile the Go server
class TrialTest {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  // Of HPACK's static table: RFC 7541, appendix A.
  private static final char HTTP = 0x86;
  private static final char HTTPS = 0x87;

  private static Contestant okHttp(Wire wire) {
    return heddle(Library.OKHTTP, wire);
  }

  private static Contestant heddle(Library library, Wire wire) {
    return library.all().stream()
        .filter(each -> each.mode() == Mode.HEDDLE && each.wire() == wire)
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @EnumSource(Product.class)
  void eachServes(Product product) throws Exception {
    assumeTrue(product.isInstalled(), product + " is not installed");
    try (RealServer server = RealServer.start(product)) {
      for (Wire wire : Wire.values()) {
        assertTrue(Trial.UPLOADS.isFor(product, server, wire), wire::toString);
        Trial.Outcome outcome = Trial.UPLOADS.run(okHttp(wire), server, 1, PATIENCE);
        assertEquals(Map.of(), outcome.failures());
        assertEquals(40, outcome.calls());
      }
    }
  }

  /** Else mutual TLS would be tried on a server that takes everybody. */
  @ParameterizedTest
  @EnumSource(Product.class)
  void eachAsksForTheClientsCertificate(Product product) throws Exception {
    assumeTrue(product.isInstalled(), product + " is not installed");
    try (RealServer server = RealServer.start(product)) {
      assumeTrue(
          Trial.MUTUAL_TLS.isFor(product, server, Wire.HTTP_1), product + " has no such port");
      HttpClient client = HttpClient.newBuilder().sslContext(context()).build();
      assertTrue(answers(client, server.uri(Port.TLS, "/small")));
      assertFalse(answers(client, server.uri(Port.TLS_MUTUAL, "/small")));
    }
  }

  /** Else ends of idle connections would be tried on a server that keeps them for a minute. */
  @ParameterizedTest
  @EnumSource(Product.class)
  void eachEndsIdleConnections(Product product) throws Exception {
    assumeTrue(product.isInstalled(), product + " is not installed");
    assumeFalse(product.isProxy(), product + " has no such port");
    byte[] http1 = "GET /small HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".getBytes(ISO_8859_1);
    try (RealServer server = RealServer.start(product)) {
      assertAnswersAndEnds(new Socket(), server.uri(Port.PLAIN_IDLE, "/small"), http1);
      assertAnswersAndEnds(tls("http/1.1"), server.uri(Port.TLS_IDLE, "/small"), http1);
      assertAnswersAndEnds(tls("h2"), server.uri(Port.TLS_IDLE, "/small"), http2(HTTPS));
      if (server.has(Port.H2C_IDLE)) {
        assertAnswersAndEnds(new Socket(), server.uri(Port.H2C_IDLE, "/small"), http2(HTTP));
      }
    }
  }

  /** Fails if the server does not end the connection within 20 s. */
  private static void assertAnswersAndEnds(Socket socket, URI uri, byte[] request)
      throws IOException {
    try (socket) {
      socket.setSoTimeout(20_000);
      socket.connect(new InetSocketAddress(uri.getHost(), uri.getPort()));
      socket.getOutputStream().write(request);
      int bytes = socket.getInputStream().readAllBytes().length;
      assertTrue(bytes > 150, bytes + " bytes, of a head and a body of 100");
    }
  }

  private static SSLSocket tls(String protocol) throws Exception {
    SSLSocket socket = (SSLSocket) context().getSocketFactory().createSocket();
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {protocol});
    socket.setSSLParameters(parameters);
    return socket;
  }

  /** Trusts the servers, and has no certificate of its own. */
  private static SSLContext context() throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {Certificate.trustManager()}, null);
    return context;
  }

  /** The preface, SETTINGS with nothing in it, and HEADERS that end stream 1. */
  private static byte[] http2(char scheme) {
    String fields = "\u0082" + scheme + "\u0004\u0006/small\u0001\u0009127.0.0.1";
    return ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
            + "\0\0\0\4\0\0\0\0\0"
            + "\0\0"
            + (char) fields.length()
            + "\1\5\0\0\0\1"
            + fields)
        .getBytes(ISO_8859_1);
  }

  /** Caddy is told by its own command, which says whether that was understood. */
  @Test
  void caddyReadsItsSettingsAnew() throws Exception {
    assumeTrue(Product.CADDY.isInstalled(), "caddy is not installed");
    try (RealServer server = RealServer.start(Product.CADDY)) {
      server.reload();
      Trial.Outcome outcome = Trial.UPLOADS.run(okHttp(Wire.HTTP_1), server, 1, PATIENCE);
      assertEquals(Map.of(), outcome.failures());
    }
  }

  private static boolean answers(HttpClient client, URI uri) throws InterruptedException {
    try {
      return client
              .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding())
              .statusCode()
          == 200;
    } catch (IOException e) {
      return false;
    }
  }

  @ParameterizedTest
  @EnumSource(Library.class)
  void eachGoesThroughTheProxy(Library library) throws Exception {
    assumeTrue(Product.SQUID.isInstalled(), "squid is not installed");
    try (RealServer server = RealServer.start(Product.SQUID)) {
      for (Wire wire : Wire.values()) {
        Trial.Outcome outcome = Trial.FORBIDDEN.run(heddle(library, wire), server, PATIENCE);
        assertEquals(Map.of(), outcome.failures(), wire::toString);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Library.class)
  void eachTellsSquidWhoComes(Library library) throws Exception {
    assumeTrue(Product.SQUID.isInstalled(), "squid is not installed");
    try (RealServer server = RealServer.start(Product.SQUID)) {
      Contestant client = heddle(library, Wire.HTTP_1);
      assertEquals(Map.of(), Trial.CREDENTIALS.run(client, server, PATIENCE).failures());
      Trial.Outcome untold = Trial.UNAUTHORIZED.run(client, server, PATIENCE);
      assertEquals(Map.of(), untold.failures(), "without, it is refused");
    }
  }

  @ParameterizedTest
  @EnumSource(Library.class)
  void eachTellsMicrosocksWhoComes(Library library) throws Exception {
    assumeTrue(Product.MICROSOCKS.isInstalled(), "microsocks is not installed");
    assumeTrue(library.knows(Product.MICROSOCKS.type()), library + " knows no SOCKS");
    Trial told = Trial.CREDENTIALS;
    try (RealServer server =
        RealServer.start(Product.MICROSOCKS, told.settings(Product.MICROSOCKS))) {
      Contestant client = heddle(library, Wire.HTTP_1);
      assertEquals(Map.of(), told.run(client, server, PATIENCE).failures());
      Trial.Outcome untold = Trial.CALLS.run(client, server, PATIENCE);
      assertEquals(untold.calls(), untold.failed(), "without, it is refused");
    }
  }

  @Test
  void failuresAreCounted() throws Exception {
    assumeTrue(Product.NGINX.isInstalled(), "nginx is not installed");
    RealServer server = RealServer.start(Product.NGINX);
    server.close();
    Trial.Outcome outcome = Trial.LARGE_BODIES.run(okHttp(Wire.HTTP_1), server, PATIENCE);
    assertEquals(200, outcome.failed());
    assertFalse(outcome.isEndless());
  }

  @Test
  void callsThatDoNotEndAreTold() throws Exception {
    assumeTrue(Product.NGINX.isInstalled(), "nginx is not installed");
    try (RealServer server = RealServer.start(Product.NGINX)) {
      Duration none = Duration.ofNanos(1);
      assertTrue(Trial.LARGE_BODIES.run(okHttp(Wire.HTTP_1), server, none).isEndless());
    }
  }
}
