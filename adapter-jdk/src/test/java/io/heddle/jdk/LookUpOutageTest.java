package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The name service is down: who has a connection needs none. */
@Timeout(60)
class LookUpOutageTest {

  @AfterEach
  void repair() {
    KitResolver.use(null);
  }

  private static int statusDuringOutage(HttpClient client, FaultServer server, String host)
      throws Exception {
    byte[] loopback = InetAddress.getLoopbackAddress().getAddress();
    KitResolver.use(any -> List.of(InetAddress.getByAddress(any, loopback)));
    URI uri = server.uri(host, Script.ok());
    client.send(request(uri).build(), BodyHandlers.discarding());
    KitResolver.use(
        any -> {
          throw new UnknownHostException(any);
        });
    Clients.await("the JVM has forgotten the address", () -> !isKnown(host));
    return client.send(request(uri).build(), BodyHandlers.discarding()).statusCode();
  }

  private static boolean isKnown(String host) {
    try {
      return InetAddress.getAllByName(host).length > 0;
    } catch (UnknownHostException e) {
      return false;
    }
  }

  @Test
  void theConnectionThatStandsIsUsed() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS);
        HttpClient stock = stock(Wire.H2_TLS).build();
        BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build())) {
      assertEquals(200, statusDuringOutage(stock, server, "their-outage.heddle.test"), "stock");
      assertEquals(200, statusDuringOutage(client, server, "our-outage.heddle.test"));
      assertEquals(2, server.connectionsAccepted());
    }
  }

  @Test
  void whoHasNoneIsToldWhy() throws Exception {
    KitResolver.use(
        host -> {
          throw new UnknownHostException(host);
        });
    try (BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.HTTP_1_1).build())) {
      ConnectException thrown =
          assertThrows(
              ConnectException.class,
              () ->
                  client.send(
                      request(URI.create("http://unknown.heddle.test/")).build(),
                      BodyHandlers.discarding()));
      assertEquals("no address of unknown.heddle.test", thrown.getMessage());
      assertInstanceOf(UnknownHostException.class, thrown.getCause());
    }
  }
}
