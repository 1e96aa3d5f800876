package io.heddle.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;

/** A request's options come to the wrapped client. JDK 26 has them; this compiles without. */
@Timeout(60)
class RequestOptionsTest {

  private static HttpRequest.Builder post() {
    return HttpRequest.newBuilder(URI.create("https://127.0.0.1:9/"))
        .timeout(Duration.ofSeconds(30))
        .header("X-Kept", "yes")
        .POST(BodyPublishers.ofString("body"));
  }

  @Test
  void requestWithoutOptionsIsNoOther() {
    HttpRequest its = post().build();
    assertSame(its, RequestOptions.copy(post().build(), its));
  }

  @Test
  @EnabledForJreRange(minVersion = 26, disabledReason = "HttpOption is of JDK 26")
  void optionComesToTheWrappedClientWithAllElse() throws Exception {
    Class<?> option = Class.forName("java.net.http.HttpOption");
    Object discovery = option.getField("H3_DISCOVERY").get(null);
    Object uriOnly =
        Class.forName("java.net.http.HttpOption$Http3DiscoveryMode")
            .getField("HTTP_3_URI_ONLY")
            .get(null);
    Method set = HttpRequest.Builder.class.getMethod("setOption", option, Object.class);
    Method get = HttpRequest.class.getMethod("getOption", option);
    HttpRequest request = ((HttpRequest.Builder) set.invoke(post(), discovery, uriOnly)).build();
    AtomicReference<HttpRequest> sent = new AtomicReference<>();
    HttpClient wrapped =
        new ForwardingClient(HttpClient.newHttpClient()) {
          @Override
          public <T> HttpResponse<T> send(HttpRequest its, BodyHandler<T> handler)
              throws IOException {
            sent.set(its);
            throw new IOException("seen");
          }
        };
    try (HttpClient client = BlockingJdkHttpClient.wrap(wrapped)) {
      assertThrows(IOException.class, () -> client.send(request, BodyHandlers.ofString()));
    }
    HttpRequest its = Objects.requireNonNull(sent.get());
    assertEquals(Optional.of(uriOnly), get.invoke(its, discovery));
    assertEquals("POST", its.method());
    assertEquals(Optional.of("yes"), its.headers().firstValue("X-Kept"));
    assertEquals(4, its.bodyPublisher().orElseThrow().contentLength());
    Duration left = its.timeout().orElseThrow();
    assertEquals(1, left.compareTo(Duration.ofSeconds(20)), left::toString);
  }
}
