package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.RawServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.util.Map;
import javax.net.ssl.SSLSocket;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.impl.classic.BasicHttpClientResponseHandler;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.MalformedChunkCodingException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The faults that WireMock makes, and what Apache's client and ours say of them. */
@Timeout(60)
class WireFaultsTest {

  private static final String GARBAGE = "lskdu018973t09sylgasjkfg1][]'./.sdlv";

  enum Fault {
    EMPTY_RESPONSE(""),
    RANDOM_DATA_THEN_CLOSE(GARBAGE),
    MALFORMED_RESPONSE_CHUNK("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + GARBAGE),
    CONNECTION_RESET_BY_PEER("");

    private final String answer;

    Fault(String answer) {
      this.answer = answer;
    }

    void happen(Socket socket) throws IOException {
      socket.getInputStream().readNBytes(4);
      RawServer.write(socket, answer);
      while (socket.getInputStream().available() > 0) {
        socket.getInputStream().read();
      }
      socket.setSoLinger(this == CONNECTION_RESET_BY_PEER, 0);
    }
  }

  private static final Map<Fault, Class<? extends IOException>> STOCK =
      Map.of(
          Fault.EMPTY_RESPONSE, NoHttpResponseException.class,
          Fault.RANDOM_DATA_THEN_CLOSE, NoHttpResponseException.class,
          Fault.MALFORMED_RESPONSE_CHUNK, MalformedChunkCodingException.class,
          Fault.CONNECTION_RESET_BY_PEER, SocketException.class);

  @ParameterizedTest
  @EnumSource
  void stock(Fault fault) throws Exception {
    assertEquals(STOCK.get(fault), thrown(HttpClients.createDefault(), fault).getClass());
  }

  @ParameterizedTest
  @EnumSource
  void asStock(Fault fault) throws Exception {
    assertEquals(STOCK.get(fault), thrown(BlockingHttpClients.createDefault(), fault).getClass());
  }

  /** Stock reads past it, and says only that nobody responded. */
  @ParameterizedTest
  @ValueSource(strings = {"GET", "POST"})
  void randomDataIsNamedByTheCause(String method) throws Exception {
    try (CloseableHttpClient client = BlockingHttpClients.createDefault();
        RawServer server = RawServer.start(Fault.RANDOM_DATA_THEN_CLOSE::happen)) {
      IOException thrown = fail(client, new HttpUriRequestBase(method, server.uri()));
      StringWriter trace = new StringWriter();
      thrown.printStackTrace(new PrintWriter(trace));
      assertTrue(trace.toString().contains(GARBAGE), trace::toString);
    }
  }

  /** Apache's own retry decides: once more, if the method is idempotent (RFC 9110, 9.2.2). */
  @ParameterizedTest
  @CsvSource({"GET, 2", "POST, 1"})
  void whatRandomDataAnswersGoesAgainAsStock(String method, int times) throws Exception {
    assertEquals(times, sent(HttpClients.createDefault(), method), "stock");
    assertEquals(times, sent(BlockingHttpClients.createDefault(), method), "ours");
  }

  /** The connection ends, without TLS's own end, in the middle of what TLS calls a record. */
  private static void answerWithPartOfARecord(Socket socket) throws IOException {
    Socket tls = FaultServer.sslContext().getSocketFactory().createSocket(socket, null, true);
    ((SSLSocket) tls).setUseClientMode(false);
    RawServer.readHead(tls.getInputStream());
    socket.getOutputStream().write(new byte[] {23, 3, 3, 0, 100, 1, 2, 3}); // of 100 bytes
    socket.shutdownOutput();
    RawServer.readToEnd(socket.getInputStream());
  }

  private static void failsForWantOfAResponse(CloseableHttpClient client) throws Exception {
    try (client;
        RawServer server = RawServer.start(WireFaultsTest::answerWithPartOfARecord)) {
      URI uri = URI.create("https://localhost:" + server.uri().getPort() + "/");
      IOException thrown = fail(client, new HttpGet(uri));
      assertEquals(NoHttpResponseException.class, thrown.getClass());
      assertEquals(2, server.accepted(), "a GET goes once more");
    }
  }

  /** So it is retried, where an SSLException is not. */
  @Test
  void theEndOfTheConnectionInARecordOfTlsIsOneOfTheConnectionAsWithStock() throws Exception {
    failsForWantOfAResponse(
        HttpClients.custom()
            .setConnectionManager(ApacheClient.stock(FaultServer.certificate()).build())
            .build());
    failsForWantOfAResponse(
        BlockingHttpClients.custom()
            .setConnectionManager(
                BlockingConnectionManager.builder()
                    .setTlsStrategy(ApacheClient.tls(FaultServer.certificate()))
                    .build())
            .build());
  }

  private static IOException thrown(CloseableHttpClient client, Fault fault) throws Exception {
    try (client;
        RawServer server = RawServer.start(fault::happen)) {
      return fail(client, new HttpGet(server.uri()));
    }
  }

  private static int sent(CloseableHttpClient client, String method) throws Exception {
    try (client;
        RawServer server = RawServer.start(Fault.RANDOM_DATA_THEN_CLOSE::happen)) {
      fail(client, new HttpUriRequestBase(method, server.uri()));
      return server.accepted();
    }
  }

  private static IOException fail(CloseableHttpClient client, HttpUriRequestBase request) {
    return assertThrows(
        IOException.class, () -> client.execute(request, new BasicHttpClientResponseHandler()));
  }
}
