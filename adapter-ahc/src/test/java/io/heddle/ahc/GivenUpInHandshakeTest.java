package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.net.SocketException;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import javax.net.ssl.X509TrustManager;
import org.asynchttpclient.Dsl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A call is given up while its connection shakes hands: the connection is there all the same, and
 * the next calls share it. They went there one at a time, as nobody had looked when the server said
 * how many may; a call within another waited for its own.
 */
@Timeout(90)
class GivenUpInHandshakeTest {

  private final BlockingQueue<AhcCall> givenUp = new LinkedBlockingQueue<>();
  private final BlockingQueue<Channel> connections = new LinkedBlockingQueue<>();

  /** Gives the call up, if there is one, before it trusts. */
  private final class Trust implements X509TrustManager {
    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) {
      AhcCall call = givenUp.poll();
      if (call != null) {
        try { // on a thread of its own: what ends the request waits for this event loop
          Thread.ofVirtual().start(call::cancel).join();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) {
      throw new AssertionError();
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  private SslContext tls() throws Exception {
    return SslContextBuilder.forClient()
        .trustManager(new Trust())
        .endpointIdentificationAlgorithm(null)
        .applicationProtocolConfig(
            new ApplicationProtocolConfig(
                Protocol.ALPN,
                SelectorFailureBehavior.NO_ADVERTISE,
                SelectedListenerFailureBehavior.ACCEPT,
                ApplicationProtocolNames.HTTP_2,
                ApplicationProtocolNames.HTTP_1_1))
        .build();
  }

  private static boolean hasSettings(Channel connection) throws Exception {
    return connection
        .eventLoop()
        .submit(
            () -> {
              Http2FrameCodec codec = connection.pipeline().get(Http2FrameCodec.class);
              return codec != null && codec.decoder().prefaceReceived();
            })
        .get();
  }

  @Test
  void nextCallsShareTheConnection() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS);
        BlockingAhcClient client =
            new BlockingAhcClient(
                Dsl.config()
                    .setSslContext(tls())
                    .setHttpAdditionalChannelInitializer(connections::add)
                    .setReadTimeout(Duration.ofSeconds(60))
                    .setRequestTimeout(Duration.ofSeconds(60))
                    .build())) {
      String ok = server.uri(Script.ok()).toString();
      AhcCall first = client.newCall(Dsl.get(ok).build());
      givenUp.add(first);
      assertThrows(SocketException.class, first::execute);
      Channel connection = connections.take();
      while (!hasSettings(connection)) {
        Thread.sleep(1);
      }
      URI slow = server.uri(Script.ok().fault(Fault.STALL));
      FutureTask<Integer> one =
          new FutureTask<>(() -> client.execute(Dsl.get(slow.toString()).build()).getStatusCode());
      Thread.ofVirtual().start(one);
      while (server.seen(slow).isEmpty()) {
        Thread.sleep(1);
      }
      assertEquals(
          200, client.execute(Dsl.get(ok).build(), Duration.ofSeconds(20)).getStatusCode());
      server.seen(slow).get(0).release();
      assertEquals(200, one.get());
      assertEquals(1, server.connectionsAccepted());
    }
  }
}
