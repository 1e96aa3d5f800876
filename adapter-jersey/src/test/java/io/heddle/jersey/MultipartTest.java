package io.heddle.jersey;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import jakarta.ws.rs.client.ClientRequestFilter;
import jakarta.ws.rs.client.Entity;
import jakarta.ws.rs.client.Invocation;
import jakarta.ws.rs.core.EntityPart;
import jakarta.ws.rs.core.GenericEntity;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.MessageBodyWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.glassfish.jersey.apache5.connector.Apache5ConnectorProvider;
import org.glassfish.jersey.client.ClientConfig;
import org.glassfish.jersey.client.ClientProperties;
import org.glassfish.jersey.client.HttpUrlConnectorProvider;
import org.glassfish.jersey.client.RequestEntityProcessing;
import org.glassfish.jersey.client.authentication.HttpAuthenticationFeature;
import org.glassfish.jersey.client.spi.ConnectorProvider;
import org.glassfish.jersey.media.multipart.FormDataMultiPart;
import org.glassfish.jersey.media.multipart.MultiPartFeature;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A multipart entity that gets its boundary as it is written went out with a {@code Content-Type}
 * without one: Jersey's Apache connector has taken the header fields by then.
 */
@Timeout(60)
class MultipartTest {

  private static final Response.Status OK = Response.Status.OK;

  /** What came to the server. */
  private record Sent(@Nullable String type, @Nullable String mimeVersion, String body) {

    @Nullable String boundary() {
      return type == null ? null : MediaType.valueOf(type).getParameters().get("boundary");
    }

    void assertParseable() {
      assertTrue(body.startsWith("--" + boundary() + "\r\n"), this::toString);
      assertTrue(body.endsWith("\r\n--" + boundary() + "--\r\n"), this::toString);
    }
  }

  private final Queue<Sent> sent = new ConcurrentLinkedQueue<>();
  private final ClientBuilder builder = ClientBuilder.newBuilder().register(MultiPartFeature.class);
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", exchange -> answer(exchange, 200));
    server.createContext(
        "/moved",
        exchange -> {
          exchange.getResponseHeaders().add("Location", "/");
          answer(exchange, 307);
        });
    server.createContext(
        "/private",
        exchange -> {
          exchange.getResponseHeaders().add("WWW-Authenticate", "Basic realm=\"r\"");
          answer(exchange, exchange.getRequestHeaders().containsKey("Authorization") ? 200 : 401);
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange, int status) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    sent.add(
        new Sent(
            exchange.getRequestHeaders().getFirst("Content-Type"),
            exchange.getRequestHeaders().getFirst("MIME-Version"),
            body));
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  private Invocation.Builder call(Client client, String path) {
    return client
        .target(URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path))
        .request();
  }

  private Sent post(ClientBuilder of, Entity<?> entity) {
    try (Client client = of.build();
        Response response = call(client, "/").post(entity)) {
      assertEquals(OK, response.getStatusInfo().toEnum());
    }
    return sent.remove();
  }

  private static Object form() {
    return new FormDataMultiPart().field("name", "value");
  }

  private static Object parts() {
    try {
      return new GenericEntity<>(List.of(EntityPart.withName("name").content("value").build())) {};
    } catch (IOException e) {
      throw new AssertionError("nothing is read", e);
    }
  }

  private static Entity<?> multipart(Object entity) {
    return Entity.entity(entity, MediaType.MULTIPART_FORM_DATA);
  }

  static Stream<Arguments> kinds() {
    return Stream.of(new HttpUrlConnectorProvider(), new HeddleConnectorProvider())
        .flatMap(
            provider -> Stream.of(form(), parts()).map(entity -> Arguments.of(provider, entity)));
  }

  /** Beside Jersey's default connector, which sends the same fields. */
  @ParameterizedTest
  @MethodSource("kinds")
  void theFieldHasTheBoundaryOfTheBody(ConnectorProvider provider, Object entity) {
    Sent only =
        post(
            builder.withConfig(
                new ClientConfig(MultiPartFeature.class).connectorProvider(provider)),
            multipart(entity));
    only.assertParseable();
    assertEquals("1.0", only.mimeVersion);
  }

  @Test
  void anAsynchronousCallHasItToo() throws Exception {
    try (Client client = builder.build()) {
      call(client, "/").async().post(multipart(form())).get(30, TimeUnit.SECONDS).close();
    }
    sent.remove().assertParseable();
  }

  /** Jersey's connector warns of each field that it has taken too early. */
  @Test
  void nothingIsWarnedOf() {
    Queue<String> warnings = new ConcurrentLinkedQueue<>();
    Handler hears =
        new Handler() {
          @Override
          public void publish(LogRecord logged) {
            warnings.add(logged.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger jersey = Logger.getLogger("org.glassfish.jersey");
    jersey.addHandler(hears);
    try {
      post(builder, multipart(form())).assertParseable();
    } finally {
      jersey.removeHandler(hears);
    }
    assertEquals(List.of(), List.copyOf(warnings));
  }

  @Test
  void aBoundaryOfTheUsersStays() {
    Sent only =
        post(builder, Entity.entity(form(), MediaType.valueOf("multipart/mixed; boundary=mine")));
    assertEquals("mine", only.boundary());
    only.assertParseable();
  }

  /** Ours runs after it. */
  @Test
  void anEntityOfAFilterHasIt() {
    ClientRequestFilter replaces =
        request -> request.setEntity(form(), null, MediaType.MULTIPART_FORM_DATA_TYPE);
    post(builder.register(replaces, Integer.MAX_VALUE - 1), Entity.text("text")).assertParseable();
  }

  /** One that knows nothing of Jersey's classes. */
  @Test
  void aWriterOfTheUsersIsTold() {
    record Parts(String name) {}
    MessageBodyWriter<Parts> writer =
        new MessageBodyWriter<>() {
          @Override
          public boolean isWriteable(
              Class<?> type, Type generic, Annotation[] annotations, MediaType media) {
            return type == Parts.class;
          }

          @Override
          public void writeTo(
              Parts parts,
              Class<?> type,
              Type generic,
              Annotation[] annotations,
              MediaType media,
              MultivaluedMap<String, Object> fields,
              OutputStream out)
              throws IOException {
            String boundary = media.getParameters().get("boundary");
            out.write(
                ("--" + boundary + "\r\n\r\n" + parts.name + "\r\n--" + boundary + "--\r\n")
                    .getBytes(StandardCharsets.UTF_8));
          }
        };
    post(builder.register(writer), Entity.entity(new Parts("a"), "Multipart/related"))
        .assertParseable();
  }

  @Test
  void whatIsRedirectedKeepsIt() {
    builder.property(ClientProperties.REQUEST_ENTITY_PROCESSING, RequestEntityProcessing.BUFFERED);
    assertSentTwice("/moved");
  }

  @Test
  void whatIsSentAgainWithCredentialsKeepsIt() {
    builder.register(
        HttpAuthenticationFeature.basicBuilder().nonPreemptive().credentials("a", "b").build());
    assertSentTwice("/private");
  }

  private void assertSentTwice(String path) {
    try (Client client = builder.build();
        Response response = call(client, path).post(multipart(form()))) {
      assertEquals(OK, response.getStatusInfo().toEnum());
    }
    Sent first = sent.remove();
    first.assertParseable();
    assertEquals(first, sent.remove());
  }

  @Test
  void aRequestWithoutAnEntityGetsNone() {
    try (Client client = builder.build()) {
      call(client, "/").header("Content-Type", "multipart/mixed").get().close();
    }
    assertEquals("multipart/mixed", sent.remove().type);
  }

  @Test
  void aClientWithAnotherConnectorIsLeftAlone() {
    Sent only =
        post(
            builder.withConfig(
                new ClientConfig(MultiPartFeature.class)
                    .connectorProvider(new Apache5ConnectorProvider())),
            multipart(form()));
    assertNull(only.boundary());
  }
}
