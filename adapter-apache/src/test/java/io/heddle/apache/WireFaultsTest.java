package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.hc.client5.http.ClientProtocolException;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.BasicHttpClientResponseHandler;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.MalformedChunkCodingException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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
      try (socket) {
        socket.getInputStream().readNBytes(4);
        socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
        while (socket.getInputStream().available() > 0) {
          socket.getInputStream().read();
        }
        socket.setSoLinger(this == CONNECTION_RESET_BY_PEER, 0);
      }
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
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "RANDOM_DATA_THEN_CLOSE")
  void asStock(Fault fault) throws Exception {
    assertEquals(STOCK.get(fault), thrown(BlockingHttpClients.createDefault(), fault).getClass());
  }

  /** Stock reads past it and says that nobody responded. */
  @Test
  void randomDataIsNamed() throws Exception {
    IOException thrown = thrown(BlockingHttpClients.createDefault(), Fault.RANDOM_DATA_THEN_CLOSE);
    assertEquals(ClientProtocolException.class, thrown.getClass());
    assertTrue(String.valueOf(thrown.getMessage()).contains(GARBAGE), thrown::toString);
  }

  private static IOException thrown(CloseableHttpClient client, Fault fault) throws Exception {
    try (client;
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread.startVirtualThread(
          () -> {
            try {
              while (true) {
                fault.happen(server.accept());
              }
            } catch (IOException e) {
              // The test is over.
            }
          });
      HttpGet request = new HttpGet("http://127.0.0.1:" + server.getLocalPort() + "/");
      return assertThrows(
          IOException.class, () -> client.execute(request, new BasicHttpClientResponseHandler()));
    }
  }
}
