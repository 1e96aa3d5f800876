package io.heddle.spring.boot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.StreamingHttpOutputMessage;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpResponse;

/**
 * What Spring expects of each request factory, its own and others': the starter's three keep it as
 * Boot's three do.
 */
@Timeout(60)
class RequestFactoryTest {

  private static final byte[] BODY = "Hello World".getBytes(StandardCharsets.UTF_8);

  private static HttpServer server;

  /**
   * Tells the method and the query in fields, and sends the body and the fields {@code my-} back.
   */
  @BeforeAll
  static void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/echo", exchange -> answer(exchange, 200));
    server.createContext("/missing", exchange -> answer(exchange, 404));
    server.start();
  }

  @AfterAll
  static void stop() {
    server.stop(0);
  }

  private static void answer(HttpExchange exchange, int status) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    String query = exchange.getRequestURI().getRawQuery();
    exchange.getResponseHeaders().add("seen-method", exchange.getRequestMethod());
    exchange.getResponseHeaders().add("seen-query", query == null ? "none" : query);
    exchange
        .getRequestHeaders()
        .forEach(
            (name, values) -> {
              if (name.startsWith("My-")) {
                values.forEach(each -> exchange.getResponseHeaders().add(name, each));
              }
            });
    boolean hasBody = body.length > 0 && !exchange.getRequestMethod().equals("HEAD");
    exchange.sendResponseHeaders(status, hasBody ? body.length : -1);
    if (hasBody) {
      exchange.getResponseBody().write(body);
    }
    exchange.close();
  }

  enum Factory {
    APACHE,
    JETTY,
    JDK,
    BOOTS_APACHE,
    BOOTS_JETTY,
    BOOTS_JDK;

    private ClientHttpRequestFactoryBuilder<?> builder() {
      return switch (this) {
        case APACHE -> ApacheRequestFactoryBuilder.create();
        case JETTY -> JettyRequestFactoryBuilder.create();
        case JDK -> JdkRequestFactoryBuilder.create();
        case BOOTS_APACHE -> ClientHttpRequestFactoryBuilder.httpComponents();
        case BOOTS_JETTY -> ClientHttpRequestFactoryBuilder.jetty();
        case BOOTS_JDK -> ClientHttpRequestFactoryBuilder.jdk();
      };
    }

    /** Makes one request; then what was opened for it is closed. */
    void request(HttpMethod method, String path, Call call) throws Exception {
      URI uri = URI.create("http://localhost:" + server.getAddress().getPort() + path);
      ClientHttpRequestFactoryBuilder<?> made = builder();
      ClientHttpRequestFactory factory = made.build();
      try {
        call.to(factory.createRequest(uri, method));
      } finally {
        if (made instanceof AutoCloseable ours) {
          ours.close();
        } else if (factory instanceof DisposableBean springs) {
          springs.destroy();
        }
      }
    }
  }

  interface Call {
    void to(ClientHttpRequest request) throws IOException;
  }

  static Stream<Arguments> methods() {
    return Stream.of(Factory.values())
        .flatMap(
            factory ->
                Stream.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
                    .map(method -> Arguments.of(factory, method)));
  }

  /**
   * As Spring's own converters write: a request that can stream is told how, and not written to.
   */
  private static void write(ClientHttpRequest request) throws IOException {
    request.getHeaders().setContentLength(BODY.length);
    if (request instanceof StreamingHttpOutputMessage streaming) {
      streaming.setBody(BODY);
    } else {
      request.getBody().write(BODY);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aStatusIsNoFailure(Factory factory) throws Exception {
    factory.request(
        HttpMethod.GET,
        "/missing",
        request -> {
          assertEquals(HttpMethod.GET, request.getMethod());
          assertEquals("/missing", request.getURI().getPath());
          try (ClientHttpResponse response = request.execute()) {
            assertEquals(HttpStatus.NOT_FOUND, response.getStatusCode());
            assertEquals("Not Found", response.getStatusText());
            assertEquals(0, response.getBody().readAllBytes().length);
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void fieldsAndBodyGoAndCome(Factory factory) throws Exception {
    factory.request(
        HttpMethod.POST,
        "/echo",
        request -> {
          request.getHeaders().addAll("My-Field", List.of("value1", "value2"));
          write(request);
          try (ClientHttpResponse response = request.execute()) {
            assertEquals(HttpStatus.OK, response.getStatusCode());
            assertEquals(List.of("value1", "value2"), response.getHeaders().get("My-Field"));
            assertEquals(BODY.length, response.getHeaders().getContentLength());
            assertArrayEquals(BODY, response.getBody().readAllBytes());
          }
        });
  }

  /** Nothing says how long it is. */
  @ParameterizedTest
  @EnumSource
  void aBodyMayBeStreamed(Factory factory) throws Exception {
    byte[] body = new byte[300_000];
    factory.request(
        HttpMethod.POST,
        "/echo",
        request -> {
          if (request instanceof StreamingHttpOutputMessage streaming) {
            streaming.setBody(out -> new ByteArrayInputStream(body).transferTo(out));
          } else {
            request.getBody().write(body);
          }
          try (ClientHttpResponse response = request.execute()) {
            assertArrayEquals(body, response.getBody().readAllBytes());
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void whatIsSentCannotBeChanged(Factory factory) throws Exception {
    factory.request(
        HttpMethod.POST,
        "/echo",
        request -> {
          request.getHeaders().add("My-Field", "value");
          write(request);
          try (ClientHttpResponse response = request.execute()) {
            assertEquals(HttpStatus.OK, response.getStatusCode());
            assertThrows(
                IllegalStateException.class,
                () -> {
                  try (OutputStream out = request.getBody()) {
                    out.write(BODY);
                  }
                });
            assertThrows( // Spring's headers, which are read-only once they are sent
                UnsupportedOperationException.class,
                () -> request.getHeaders().add("My-Field", "late"));
            assertThrows(IllegalStateException.class, request::execute);
          }
        });
  }

  @ParameterizedTest
  @MethodSource
  void methods(Factory factory, String method) throws Exception {
    factory.request(
        HttpMethod.valueOf(method),
        "/echo",
        request -> {
          boolean hasBody = List.of("POST", "PUT", "PATCH").contains(method);
          if (hasBody) {
            write(request);
          }
          try (ClientHttpResponse response = request.execute()) {
            assertEquals(HttpStatus.OK, response.getStatusCode());
            assertEquals(method, response.getHeaders().getFirst("seen-method"));
            assertArrayEquals(hasBody ? BODY : new byte[0], response.getBody().readAllBytes());
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void theQueryIsSentAsItIs(Factory factory) throws Exception {
    String query = "a=1&b=%20%26&b=2";
    factory.request(
        HttpMethod.GET,
        "/echo?" + query,
        request -> {
          try (ClientHttpResponse response = request.execute()) {
            assertEquals(query, response.getHeaders().getFirst("seen-query"));
          }
        });
  }
}
