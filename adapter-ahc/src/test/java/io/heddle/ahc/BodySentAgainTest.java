package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Request;
import org.asynchttpclient.RequestBuilder;
import org.asynchttpclient.request.body.generator.InputStreamBodyGenerator;
import org.asynchttpclient.request.body.multipart.FilePart;
import org.asynchttpclient.request.body.multipart.InputStreamPart;
import org.asynchttpclient.request.body.multipart.Part;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A challenge or a redirect wants the body once more, and gets all of it, or the call fails. */
@Timeout(60)
class BodySentAgainTest {

  private static final int LENGTH = 300_000;

  @TempDir Path directory;

  private static BlockingAhcClient client(Wire wire) throws Exception {
    return new BlockingAhcClient(
        Dsl.config()
            .setHttp2CleartextEnabled(wire == Wire.H2C)
            .setSslContext(AhcClient.tls(FaultServer.certificate(), true))
            .setFollowRedirect(true)
            .build());
  }

  /** The last of the requests for a URI that wants credentials, which is whole. */
  private static Seen afterChallenge(
      FaultServer server, BlockingAhcClient client, RequestBuilder post) throws Exception {
    URI uri = server.uri(Script.ok().requires("penelope", "ithaca"));
    Request request =
        post.setUrl(uri.toString()).setRealm(Dsl.basicAuthRealm("penelope", "ithaca")).build();
    assertEquals(200, client.execute(request).getStatusCode());
    List<Seen> seen = server.seen(uri);
    assertEquals(2, seen.size());
    assertTrue(seen.get(1).isBodyComplete());
    return seen.get(1);
  }

  private static InputStream withoutMark(InputStream stream) {
    return new FilterInputStream(stream) {
      @Override
      public boolean markSupported() {
        return false;
      }
    };
  }

  private Path file() throws IOException {
    return Files.write(directory.resolve("body"), new byte[LENGTH]);
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void streamThatCanBeReset(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        BlockingAhcClient client = client(wire)) {
      ByteArrayInputStream stream = new ByteArrayInputStream(new byte[LENGTH + 10]);
      assertEquals(10, stream.skip(10)); // it begins here, not at 0
      Seen last = afterChallenge(server, client, new RequestBuilder("POST").setBody(stream));
      assertEquals(LENGTH, last.bodyBytes());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void streamThatCannot(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        BlockingAhcClient client = client(wire)) {
      URI uri = server.uri(Script.ok().requires("penelope", "ithaca"));
      Request request =
          Dsl.post(uri.toString())
              .setBody(withoutMark(new ByteArrayInputStream(new byte[LENGTH])))
              .setRealm(Dsl.basicAuthRealm("penelope", "ithaca"))
              .build();
      IOException failure = assertThrows(IOException.class, () -> client.execute(request));
      assertEquals(
          "the request body was read once, and cannot be sent again", failure.getMessage());
      ExecutionException ofFuture =
          assertThrows(ExecutionException.class, client.executeRequest(request)::get);
      assertTrue(String.valueOf(ofFuture.getMessage()).contains("read once"));
      assertEquals(0, client.inFlight());
    }
  }

  /** The server asks once, and then again: what AHC makes of the second is the answer. */
  private static URI digest(FaultServer server, String quality) {
    return server.uri(
        Script.answer(401)
            .header(
                "WWW-Authenticate",
                "Digest realm=\"loom\", nonce=\"shuttle\", algorithm=MD5, qop=\""
                    + quality
                    + "\""));
  }

  private static Request digestPost(URI uri, RequestBuilder post) {
    return post.setUrl(uri.toString()).setRealm(Dsl.digestAuthRealm("penelope", "ithaca")).build();
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void digestOfStreamThatCanBeReset(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        BlockingAhcClient client = client(wire)) {
      for (boolean sized : new boolean[] {false, true}) {
        ByteArrayInputStream stream = new ByteArrayInputStream(new byte[LENGTH]);
        URI uri = digest(server, "auth");
        RequestBuilder post = new RequestBuilder("POST");
        if (sized) {
          post.setBody(new InputStreamBodyGenerator(stream, LENGTH));
        } else {
          post.setBody(stream);
        }
        assertEquals(401, client.execute(digestPost(uri, post)).getStatusCode());
        List<Seen> seen = server.seen(uri);
        assertEquals(2, seen.size());
        assertTrue(String.valueOf(seen.get(1).header("authorization")).startsWith("Digest "));
        assertTrue(seen.get(1).isBodyComplete());
        assertEquals(LENGTH, seen.get(1).bodyBytes());
      }
      assertEquals(0, client.inFlight());
    }
  }

  /** The body's hash, which is a part of the answer, would have to be known before the body. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void digestThatCannotBeAnswered(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        BlockingAhcClient client = client(wire)) {
      for (String quality : List.of("auth", "auth-int")) {
        URI uri = digest(server, quality);
        InputStream once = withoutMark(new ByteArrayInputStream(new byte[LENGTH]));
        Request post = digestPost(uri, new RequestBuilder("POST").setBody(once));
        assertThrows(IOException.class, () -> client.execute(post, Duration.ofSeconds(10)));
        assertTrue(server.seen(uri).stream().filter(Seen::isBodyComplete).count() <= 1);
      }
      assertEquals(0, client.inFlight());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void partsOfFiles(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        BlockingAhcClient client = client(wire)) {
      Part part = new FilePart("cloth", file().toFile());
      Seen last = afterChallenge(server, client, new RequestBuilder("PUT").addBodyPart(part));
      assertTrue(last.bodyBytes() > LENGTH);
      String boundary = String.valueOf(last.header("content-type")).split("boundary=", 2)[1];
      assertTrue(boundary.length() > 10);
    }
  }

  @Test
  void partOfStreamIsNotSentAgain() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingAhcClient client = client(Wire.HTTP_1_1)) {
      URI uri = server.uri(Script.ok().requires("penelope", "ithaca"));
      InputStream stream = new ByteArrayInputStream(new byte[LENGTH]);
      Request request =
          Dsl.post(uri.toString())
              .addBodyPart(new InputStreamPart("cloth", stream, "cloth"))
              .setRealm(Dsl.basicAuthRealm("penelope", "ithaca"))
              .build();
      assertThrows(IOException.class, () -> client.execute(request));
    }
  }

  /** The body remembered that it had been on HTTP/2, and gave HTTP/1.1 not one byte. */
  @Test
  void redirectToAServerWithoutHttp2() throws Exception {
    assertRedirected(Wire.H2_TLS, Wire.HTTP_1_1_TLS);
  }

  @Test
  void redirectToAServerWithHttp2() throws Exception {
    assertRedirected(Wire.HTTP_1_1_TLS, Wire.H2_TLS);
  }

  private void assertRedirected(Wire from, Wire to) throws Exception {
    try (FaultServer first = FaultServer.start(from);
        FaultServer second = FaultServer.start(to);
        BlockingAhcClient client = client(to)) {
      URI target = second.uri(Script.ok().body(10));
      URI uri = first.uri(Script.answer(307).header("Location", target.toString()));
      Request request = Dsl.post(uri.toString()).setBody(file().toFile()).build();
      assertArrayEquals(
          new int[] {200, 10},
          new int[] {
            client.execute(request).getStatusCode(),
            client.execute(request).getResponseBodyAsBytes().length
          });
      assertEquals(LENGTH, second.seen(target).get(0).bodyBytes());
    }
  }
}
