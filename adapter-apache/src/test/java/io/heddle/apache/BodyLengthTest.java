package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import io.heddle.core.Deadline;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.hc.client5.http.ClientProtocolException;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpHead;
import org.apache.hc.client5.http.classic.methods.HttpPut;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.io.entity.EntityTemplate;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.nio.DataStreamChannel;
import org.apache.hc.core5.http2.H2Error;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A body that is not as long as its Content-Length passed for a whole one on HTTP/2. */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class BodyLengthTest {

  private static CloseableHttpClient client(Wire wire) {
    return BlockingHttpClients.custom()
        .setConnectionManager(
            BlockingConnectionManager.builder()
                .setVersionPolicy(
                    wire.isMultiplexed()
                        ? HttpVersionPolicy.FORCE_HTTP_2
                        : HttpVersionPolicy.NEGOTIATE)
                .build())
        .build();
  }

  private static int get(CloseableHttpClient client, String uri) throws IOException {
    return client.execute(
        new HttpGet(uri), response -> EntityUtils.toByteArray(response.getEntity()).length);
  }

  /** Answers {@code /<declared>/<sent>}; {@code none} is a head that ends the stream. */
  private static void answer(FramePeer.Stream stream, boolean end) throws IOException {
    String[] words = stream.path().split("/", -1);
    boolean bodiless = words[2].equals("none");
    stream.head(200, bodiless, "content-length", words[1]);
    if (!bodiless) {
      stream.data(Integer.parseInt(words[2]), true);
    }
  }

  @ParameterizedTest
  @CsvSource({"1000,500", "1000,0", "1000,none"})
  void aShorterResponseFailsAsOnHttp11(String declared, String sent) throws Exception {
    try (FramePeer server = new FramePeer(BodyLengthTest::answer);
        CloseableHttpClient client = client(Wire.H2C)) {
      IOException thrown =
          assertThrows(
              ConnectionClosedException.class,
              () -> get(client, server.uri("/" + declared + "/" + sent)));
      assertTrue(thrown.toString().contains("Premature end"), thrown.toString());
      assertStreamAloneIsReset(server, client);
    }
  }

  @Test
  void aLongerResponseFails() throws Exception {
    try (FramePeer server = new FramePeer(BodyLengthTest::answer);
        CloseableHttpClient client = client(Wire.H2C)) {
      IOException thrown =
          assertThrows(ClientProtocolException.class, () -> get(client, server.uri("/10/500")));
      assertTrue(thrown.toString().contains("Content-Length is 10"), thrown.toString());
      assertStreamAloneIsReset(server, client);
    }
  }

  @ParameterizedTest
  @CsvSource({"many", "-1", "5 5"})
  void aLengthThatIsNoneFails(String declared) throws Exception {
    try (FramePeer server =
            new FramePeer(
                (stream, end) -> {
                  if (stream.path().equals("/0/0")) {
                    answer(stream, end);
                  } else {
                    stream.head(200, false, "content-length", declared);
                    stream.data(5, true);
                  }
                });
        CloseableHttpClient client = client(Wire.H2C)) {
      assertThrows(ClientProtocolException.class, () -> get(client, server.uri("/")));
      assertStreamAloneIsReset(server, client);
    }
  }

  private static void assertStreamAloneIsReset(FramePeer server, CloseableHttpClient client)
      throws Exception {
    Threads.await("the stream is reset", () -> !server.resets().isEmpty());
    assertEquals(List.of(H2Error.PROTOCOL_ERROR.getCode()), server.resets());
    assertEquals(0, get(client, server.uri("/0/0")));
    assertEquals(1, server.accepted(), "the connection lives");
  }

  @Test
  void whatHasNoBodyMayTellTheLengthOfAnother() throws Exception {
    try (FramePeer server =
            new FramePeer(
                (stream, end) -> {
                  int status = stream.path().equals("/304") ? 304 : 200;
                  stream.head(status, true, "content-length", "1000");
                });
        CloseableHttpClient client = client(Wire.H2C)) {
      int head = client.execute(new HttpHead(server.uri("/200")), response -> response.getCode());
      assertEquals(200, head);
      int get = client.execute(new HttpGet(server.uri("/304")), response -> response.getCode());
      assertEquals(304, get);
      assertEquals(List.of(), server.resets());
    }
  }

  /** A long body is read past the engine's buffers, and so is not followed by what is in them. */
  @Test
  void whatComesBehindALongBodyIsNotTheNextAnswer() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        CloseableHttpClient client = client(Wire.HTTP_1_1)) {
      for (int i = 0; i < 50; i++) {
        String surplus = server.uri(Script.ok().body(30_000).surplus()).toString();
        assertEquals(30_000, get(client, surplus));
        assertEquals(5, get(client, server.uri(Script.ok().body(5)).toString()));
      }
    }
  }

  /** PUT may be sent again by Apache's retry strategy; this failure must not make it. */
  private static IOException put(CloseableHttpClient client, URI uri, int declared, int written) {
    HttpPut request = new HttpPut(uri);
    request.setEntity(
        new EntityTemplate(
            declared,
            ContentType.APPLICATION_OCTET_STREAM,
            null,
            out -> writeWhateverHappens(out, written)));
    return assertThrows(
        ConnectionClosedException.class,
        () -> client.execute(request, response -> response.getCode()));
  }

  private static void writeWhateverHappens(OutputStream out, int bytes) {
    try {
      for (int left = bytes; left > 0; left -= 100) {
        out.write(new byte[Math.min(left, 100)]);
      }
      out.flush();
    } catch (IOException minded) {
      return;
    }
  }

  /** Or a server's answer is whole before the request is, and the connection lost. */
  @ParameterizedTest
  @CsvSource({"false,1", "true,0"})
  void overHttp11TheRequestEndsWithItsLastByte(boolean multiplexed, int ends) throws Exception {
    AtomicInteger ended = new AtomicInteger();
    DataStreamChannel channel =
        new DataStreamChannel() {
          @Override
          public void requestOutput() {}

          @Override
          public int write(ByteBuffer src) {
            int n = src.remaining();
            src.position(src.limit());
            return n;
          }

          @Override
          public void endStream() {
            ended.incrementAndGet();
          }

          @Override
          public void endStream(List<? extends Header> trailers) {
            ended.incrementAndGet();
          }
        };
    AtomicInteger asked = new AtomicInteger();
    BooleanSupplier send = () -> asked.incrementAndGet() > 0;
    ApacheRequestBody body =
        new ApacheRequestBody(4, multiplexed, false, Deadline.none(), send, () -> {});
    AtomicInteger endedByThen = new AtomicInteger();
    body.writeFrom(
        new EntityTemplate(
            4,
            ContentType.APPLICATION_OCTET_STREAM,
            null,
            out -> {
              out.write(new byte[4]);
              out.flush();
              body.produce(channel);
              endedByThen.set(ended.get());
            }));
    assertEquals(ends, endedByThen.get(), "ends that were sent by then");
    assertEquals(2 - ends, asked.get(), "how often there was something to send");
    body.produce(channel);
    assertEquals(1, ended.get(), "ends that were sent");
    assertTrue(body.isSent());
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void aShorterRequestFails(Wire wire) throws Exception {
    assertRequestFails(wire, 100_000, 50_000, "wrote 50000 bytes");
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void aLongerRequestFails(Wire wire) throws Exception {
    assertRequestFails(wire, 50_050, 100_000, "wrote more bytes than the 50050");
  }

  private static void assertRequestFails(Wire wire, int declared, int written, String message)
      throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client = client(wire)) {
      URI uri = server.uri(Script.ok());
      IOException thrown = put(client, uri, declared, written);
      assertTrue(thrown.toString().contains(message), thrown.toString());
      Threads.await(
          "the server sees the request end before its end",
          () -> server.seen(uri).stream().allMatch(each -> each.isAborted()));
      assertTrue(server.seen(uri).size() <= 1, "sent again");
      assertFalse(server.seen(uri).stream().anyMatch(each -> each.isBodyComplete()));
      assertEquals(0, get(client, server.uri(Script.ok()).toString()));
    }
  }
}
