package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.LeakCheck;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.apache.hc.client5.http.ClientProtocolException;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A Host header of the user's was dropped on HTTP/2. */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class HostHeaderTest {

  private static List<String> authority(@Nullable String host) throws IOException {
    try (FramePeer server = new FramePeer((stream, end) -> stream.head(200, true));
        CloseableHttpClient client =
            BlockingHttpClients.custom()
                .setConnectionManager(
                    BlockingConnectionManager.builder()
                        .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_2)
                        .build())
                .build()) {
      HttpGet request = new HttpGet(server.uri("/"));
      if (host != null) {
        request.setHeader("Host", host);
      }
      client.execute(request, response -> null);
      assertEquals(List.of(), server.lastHead("host"), "one of the two suffices");
      List<String> authority = server.lastHead(":authority");
      return host == null && authority.equals(List.of(URI.create(server.uri("/")).getAuthority()))
          ? List.of("of the URI")
          : authority;
    }
  }

  @Test
  void theAuthorityFollowsIt() throws Exception {
    assertEquals(List.of("tenant-a.example"), authority("tenant-a.example"));
    assertEquals(List.of("tenant-b.example:8443"), authority("tenant-b.example:8443"));
    assertEquals(List.of("[::1]:8443"), authority("[::1]:8443"));
  }

  @Test
  void withoutOneItIsThatOfTheUri() throws Exception {
    assertEquals(List.of("of the URI"), authority(null));
  }

  @Test
  void oneThatNamesNoHostIsRefused() {
    assertThrows(ClientProtocolException.class, () -> authority("tenant:port"));
  }
}
