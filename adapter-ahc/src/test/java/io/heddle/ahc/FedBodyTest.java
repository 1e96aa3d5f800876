package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.ListenableFuture;
import org.asynchttpclient.Request;
import org.asynchttpclient.RequestBuilder;
import org.asynchttpclient.Response;
import org.asynchttpclient.request.body.Body;
import org.asynchttpclient.request.body.generator.BodyGenerator;
import org.asynchttpclient.request.body.generator.ByteArrayBodyGenerator;
import org.asynchttpclient.request.body.generator.FeedListener;
import org.asynchttpclient.request.body.generator.FeedableBodyGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A body of the user's that throws, or has not the length that a field says: the call fails. */
@Timeout(60)
class FedBodyTest {

  private static BlockingAhcClient client(Wire wire) {
    return new BlockingAhcClient(
        Dsl.config()
            .setHttp2CleartextEnabled(wire == Wire.H2C)
            .setRequestTimeout(Duration.ofSeconds(30))
            .setReadTimeout(Duration.ofSeconds(30))
            .build());
  }

  /** Has so many bytes, or throws. */
  private record Fed(int bytes, @Nullable RuntimeException thrown)
      implements FeedableBodyGenerator, Body {

    @Override
    public Body createBody() {
      return this;
    }

    @Override
    public boolean feed(ByteBuf buffer, boolean isLast) {
      return true;
    }

    @Override
    public void setListener(FeedListener listener) {}

    @Override
    public long getContentLength() {
      return -1;
    }

    @Override
    public BodyState transferTo(ByteBuf target) {
      if (thrown != null) {
        throw thrown;
      }
      target.writeZero(bytes);
      return BodyState.STOP;
    }

    @Override
    public void close() {}
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void sourceThatThrows(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        BlockingAhcClient client = client(wire)) {
      RuntimeException thrown = new IllegalStateException("no more thread");
      URI uri = server.uri(Script.ok());
      Request request =
          new RequestBuilder("POST").setUrl(uri.toString()).setBody(new Fed(0, thrown)).build();
      long begun = System.nanoTime();
      ListenableFuture<Response> future = client.executeRequest(request);
      ExecutionException failure =
          assertThrows(ExecutionException.class, () -> future.get(20, TimeUnit.SECONDS));
      assertEquals(thrown, failure.getCause());
      IOException blocking = assertThrows(IOException.class, () -> client.execute(request));
      assertEquals(thrown, blocking.getCause());
      assertTrue(System.nanoTime() - begun < Duration.ofSeconds(20).toNanos(), "at once");
      assertEquals(0, client.inFlight());
    }
  }

  /** The field is the message's framing: what follows would be taken for the rest of the body. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void lengthThatIsNotTheBodys(Wire wire) throws Exception {
    byte[] ten = new byte[10];
    List<BodyGenerator> bodies =
        List.of(
            new Fed(10, null),
            new WrittenBody(out -> out.write(ten)),
            new WrittenBody(out -> out.write(ten), 10),
            new ByteArrayBodyGenerator(ten));
    try (FaultServer server = FaultServer.start(wire);
        BlockingAhcClient client = client(wire)) {
      for (int declared : new int[] {9, 11}) {
        for (BodyGenerator each : bodies) {
          URI uri = server.uri(Script.ok());
          RequestBuilder request = new RequestBuilder("POST").setUrl(uri.toString());
          request.setHeader("Content-Length", declared).setBody(each);
          Exception failure =
              assertThrows(Exception.class, () -> client.execute(request.build()), each + "");
          assertTrue(String.valueOf(failure.getMessage()).contains("" + declared), failure + "");
          assertTrue(server.seen(uri).stream().noneMatch(Seen::isBodyComplete), "sent whole");
        }
        URI uri = server.uri(Script.ok());
        RequestBuilder bytes = new RequestBuilder("POST").setUrl(uri.toString());
        bytes.setHeader("Content-Length", declared).setBody(ten);
        assertThrows(IllegalArgumentException.class, () -> client.execute(bytes.build()));
        bytes.setHeader("Content-Length", 10);
        assertEquals(200, client.execute(bytes.build()).getStatusCode());
      }
      URI uri = server.uri(Script.ok());
      RequestBuilder stream = new RequestBuilder("POST").setUrl(uri.toString());
      stream.setHeader("Content-Length", 10).setBody(new ByteArrayInputStream(ten));
      assertEquals(200, client.execute(stream.build()).getStatusCode());
      assertEquals(10, server.seen(uri).get(0).bodyBytes());
    }
  }
}
