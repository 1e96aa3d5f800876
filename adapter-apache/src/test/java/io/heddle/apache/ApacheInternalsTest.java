package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.http.config.CharCodingConfig;
import org.apache.hc.core5.http.impl.HttpProcessors;
import org.apache.hc.core5.http2.config.H2Config;
import org.apache.hc.core5.http2.impl.nio.ClientH2IOEventHandler;
import org.apache.hc.core5.http2.impl.nio.ClientH2StreamMultiplexer;
import org.apache.hc.core5.reactor.ProtocolIOSession;
import org.junit.jupiter.api.Test;

/** What of Apache's inside we lean on: fails first when that changes. */
class ApacheInternalsTest {

  @Test
  void aBuilderTellsWhetherItHeedsSystemProperties() {
    assertFalse(ApacheInternals.usesSystemProperties(HttpClientBuilder.create()));
    assertTrue(
        ApacheInternals.usesSystemProperties(HttpClientBuilder.create().useSystemProperties()));
  }

  @Test
  void aConnectionOfHttp2HasItsDecoderAndWindow() {
    ProtocolIOSession session =
        (ProtocolIOSession)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {ProtocolIOSession.class},
                (proxy, method, args) -> null);
    ClientH2IOEventHandler engine =
        new ClientH2IOEventHandler(
            new ClientH2StreamMultiplexer(
                session, HttpProcessors.client(), H2Config.DEFAULT, CharCodingConfig.DEFAULT));
    ApacheInternals.Input input = ApacheInternals.inputOf(engine);
    assertNotNull(input);
    assertNotNull(input.decoder());
    assertEquals(65_535, input.window().get()); // RFC 9113, 6.9.2
  }
}
