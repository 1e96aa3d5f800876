package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Through a proxy: a tunnel where the target speaks TLS, requests in absolute form where not. */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class ProxyTest {

  private static HttpClientBuilder builder(ConnectProxy proxy) {
    return BlockingHttpClients.custom()
        .setConnectionManager(
            BlockingConnectionManager.builder()
                .setTlsStrategy(ApacheClient.tls(FaultServer.certificate()))
                .build())
        .setProxy(proxy.host());
  }

  private record Answer(int status, int bytes, String protocol) {}

  private static Answer get(CloseableHttpClient client, URI uri) throws IOException {
    return client.execute(
        new HttpGet(uri),
        response ->
            new Answer(
                response.getCode(),
                EntityUtils.toByteArray(response.getEntity()).length,
                String.valueOf(response.getVersion())));
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1_TLS", "H2_TLS"})
  void aTunnelServesManyCalls(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        ConnectProxy proxy = new ConnectProxy(null);
        CloseableHttpClient client = builder(proxy).build()) {
      URI uri = server.uri(Script.ok().body(100_000));
      String protocol = wire.isMultiplexed() ? "HTTP/2.0" : "HTTP/1.1";
      for (int i = 0; i < 5; i++) {
        assertEquals(new Answer(200, 100_000, protocol), get(client, uri));
      }
      assertEquals(
          List.of("CONNECT 127.0.0.1:" + server.port() + " HTTP/1.1"), proxy.requestLines());
    }
  }

  /** Callers come to a tunnel that is being dug. */
  @Test
  void oneTunnelServesManyCallersOfHttp2AtATime() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS);
        ConnectProxy proxy = new ConnectProxy(null);
        CloseableHttpClient client = builder(proxy).build()) {
      URI uri = server.uri(Script.ok().body(100).delay(Duration.ofMillis(200)));
      get(client, uri);
      List<Answer> answers = Threads.callAtOnce(20, () -> get(client, uri));
      assertEquals(List.of(new Answer(200, 100, "HTTP/2.0")), answers.stream().distinct().toList());
      assertEquals(1, server.connectionsAccepted());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1_TLS", "H2_TLS"})
  void aProxyThatWantsCredentialsGetsThem(Wire wire) throws Exception {
    BasicCredentialsProvider credentials = new BasicCredentialsProvider();
    try (FaultServer server = FaultServer.start(wire);
        ConnectProxy proxy = new ConnectProxy("Basic bWU6c2VjcmV0");
        CloseableHttpClient client =
            builder(proxy).setDefaultCredentialsProvider(credentials).build()) {
      URI uri = server.uri(Script.ok());
      assertEquals(407, get(client, uri).status(), "the proxy's answer reaches the caller");
      credentials.setCredentials(
          new AuthScope(proxy.host()),
          new UsernamePasswordCredentials("me", "secret".toCharArray()));
      assertEquals(200, get(client, uri).status());
    }
  }

  @Test
  void aRequestWithoutTlsIsSentInAbsoluteForm() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        ConnectProxy proxy = new ConnectProxy(null);
        CloseableHttpClient client = builder(proxy).build()) {
      URI uri = server.uri(Script.ok().body(10));
      assertEquals(new Answer(200, 10, "HTTP/1.1"), get(client, uri));
      assertEquals(List.of("GET " + uri + " HTTP/1.1"), proxy.requestLines());
    }
  }

  /** It was asked to be the target. */
  @Test
  void aProxyThatIsReachedOverTlsHasToBeItself() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        ConnectProxy proxy = ConnectProxy.overTls();
        CloseableHttpClient client = builder(proxy).build()) {
      URI uri = server.uri("target.example", Script.ok().body(10));
      assertEquals(new Answer(200, 10, "HTTP/1.1"), get(client, uri));
      assertEquals(List.of("GET " + uri + " HTTP/1.1"), proxy.requestLines());
    }
  }

  /** Whoever sits before TLS wrote the head of a response that TLS was believed to have brought. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 299 Evil\r\nSet-Cookie: sid=attacker\r\nX-Junk: ",
        "HTTP/1.1 299 Evil\r\nSet-Cookie: sid=attacker\r\n",
        "HTTP/1.1 299 Evil\r\nContent-Length: 4\r\n\r\nevil",
        "\r\n"
      })
  void whatComesInPlainTextBeforeTlsBeginsIsNotReadAfterIt(String evil) throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1_TLS);
        ConnectProxy proxy = new ConnectProxy(null).saysAfterConnect(evil);
        CloseableHttpClient client = builder(proxy).build()) {
      URI uri = server.uri(Script.ok().body(4));
      assertThrows(IOException.class, () -> get(client, uri));
      assertEquals(List.of(), server.seen(uri), "nothing is sent after it");
    }
  }

  /** It was an unchecked exception, now and then. */
  @Test
  void aProxyThatHangsUpIsAFailureOfTheCall() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1_TLS);
        ConnectProxy proxy = new ConnectProxy(null).hangsUp();
        CloseableHttpClient client = builder(proxy).disableAutomaticRetries().build()) {
      URI uri = server.uri(Script.ok());
      for (int i = 0; i < 150; i++) {
        assertThrows(IOException.class, () -> get(client, uri));
      }
    }
  }

  @Test
  void aProxyThatIsNotThereIsNamed() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS);
        CloseableHttpClient client =
            BlockingHttpClients.custom().setProxy(new HttpHost("http", "127.0.0.1", 1)).build()) {
      URI uri = server.uri(Script.ok());
      String message = assertThrows(IOException.class, () -> get(client, uri)).toString();
      assertTrue(message.contains("http://127.0.0.1:1"), message);
    }
  }

  @Test
  void tlsWithinTlsIsRefusedInClearWords() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1_TLS);
        ConnectProxy proxy = ConnectProxy.overTls();
        CloseableHttpClient client = builder(proxy).build()) {
      URI uri = server.uri(Script.ok());
      IOException thrown = assertThrows(IOException.class, () -> get(client, uri));
      assertTrue(
          thrown.toString().contains("cannot tunnel through an HTTPS proxy"), thrown.toString());
    }
  }
}
