package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.Authenticator;
import java.net.PasswordAuthentication;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Through a SOCKS proxy, which may want to know who comes. */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class SocksProxyTest {

  private static final List<String> PROPERTIES =
      List.of("socksProxyHost", "socksProxyPort", "socksNonProxyHosts");

  /** Whose manager. */
  enum Whose {
    STOCK {
      @Override
      CloseableHttpClient client(SocketConfig config) {
        return HttpClients.custom()
            .setConnectionManager(
                ApacheClient.stock(FaultServer.certificate())
                    .setDefaultSocketConfig(config)
                    .build())
            .disableAutomaticRetries()
            .build();
      }
    },
    HEDDLE {
      @Override
      CloseableHttpClient client(SocketConfig config) {
        return BlockingHttpClients.custom()
            .setConnectionManager(
                BlockingConnectionManager.builder()
                    .setTlsStrategy(ApacheClient.tls(FaultServer.certificate()))
                    .setDefaultSocketConfig(config)
                    .build())
            .disableAutomaticRetries()
            .build();
      }
    };

    abstract CloseableHttpClient client(SocketConfig config);

    final CloseableHttpClient through(SocksProxy proxy) {
      return client(SocketConfig.custom().setSocksProxyAddress(proxy.address()).build());
    }
  }

  /** Whom it names, and what it was asked. */
  private static final class Named extends Authenticator {
    private final List<String> asked = new CopyOnWriteArrayList<>();

    @Override
    protected PasswordAuthentication getPasswordAuthentication() {
      asked.add(getRequestingProtocol() + " " + getRequestingHost() + ":" + getRequestingPort());
      return new PasswordAuthentication("penelope", "web".toCharArray());
    }
  }

  @AfterEach
  void restore() {
    Authenticator.setDefault(null);
    PROPERTIES.forEach(System::clearProperty);
  }

  private static int get(CloseableHttpClient client, URI uri) throws IOException {
    return client.execute(
        new HttpGet(uri), response -> EntityUtils.toByteArray(response.getEntity()).length);
  }

  static Stream<Arguments> all() {
    return Stream.of(
        Arguments.of(Whose.STOCK, Wire.HTTP_1_1),
        Arguments.of(Whose.STOCK, Wire.HTTP_1_1_TLS),
        Arguments.of(Whose.HEDDLE, Wire.HTTP_1_1),
        Arguments.of(Whose.HEDDLE, Wire.HTTP_1_1_TLS),
        Arguments.of(Whose.HEDDLE, Wire.H2_TLS));
  }

  @ParameterizedTest
  @MethodSource("all")
  void itLetsEverybodyThrough(Whose whose, Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        SocksProxy proxy = new SocksProxy(null);
        CloseableHttpClient client = whose.through(proxy)) {
      assertEquals(100_000, get(client, server.uri(Script.ok().body(100_000))));
      assertEquals(List.of(""), proxy.seen());
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void itLetsThroughWhomTheAuthenticatorNames(Whose whose, Wire wire) throws Exception {
    Named named = new Named();
    Authenticator.setDefault(named);
    try (FaultServer server = FaultServer.start(wire);
        SocksProxy proxy = new SocksProxy("penelope:web");
        CloseableHttpClient client = whose.through(proxy)) {
      assertEquals(1000, get(client, server.uri(Script.ok().body(1000))));
      assertEquals(List.of("penelope:web"), proxy.seen());
      assertEquals(
          List.of("SOCKS5 127.0.0.1:" + proxy.address().getPort()),
          named.asked.stream().map(each -> each.replace("localhost", "127.0.0.1")).toList());
    }
  }

  @ParameterizedTest
  @EnumSource(Whose.class)
  void whomItDoesNotKnowIsTold(Whose whose) throws Exception {
    Authenticator.setDefault(new Named());
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        SocksProxy proxy = new SocksProxy("telemachus:bow");
        CloseableHttpClient client = whose.through(proxy)) {
      URI uri = server.uri(Script.ok());
      assertThrows(IOException.class, () -> get(client, uri));
      assertEquals(List.of("penelope:web"), proxy.seen());
      assertEquals(List.of(), server.seen(uri));
    }
  }

  /** What is not asked for is not told. */
  @Test
  void aClientWithoutAProxyNamesNobody() throws Exception {
    Named named = new Named();
    Authenticator.setDefault(named);
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        CloseableHttpClient client = BlockingHttpClients.custom().build()) {
      get(client, server.uri(Script.ok()));
    }
    assertEquals(List.of(), named.asked);
  }

  /** The JDK's sockets do, and so stock's clients; the engine's channels do not. */
  @ParameterizedTest
  @EnumSource(Whose.class)
  void onlyStockHeedsTheSystemProperty(Whose whose) throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        SocksProxy proxy = new SocksProxy(null)) {
      System.setProperty("socksProxyHost", "127.0.0.1");
      System.setProperty("socksProxyPort", String.valueOf(proxy.address().getPort()));
      System.setProperty("socksNonProxyHosts", "");
      try (CloseableHttpClient client = whose.client(SocketConfig.DEFAULT)) {
        assertEquals(10, get(client, server.uri(Script.ok().body(10))));
      }
      assertEquals(whose == Whose.STOCK ? List.of("") : List.of(), proxy.seen());
    }
  }
}
