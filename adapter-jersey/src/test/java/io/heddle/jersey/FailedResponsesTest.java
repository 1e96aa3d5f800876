package io.heddle.jersey;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.apache.BlockingConnectionManager;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import jakarta.ws.rs.ProcessingException;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import jakarta.ws.rs.client.ClientResponseFilter;
import jakarta.ws.rs.client.Invocation;
import jakarta.ws.rs.client.ResponseProcessingException;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ReaderInterceptor;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.auth.CredentialsProvider;
import org.glassfish.jersey.apache5.connector.Apache5ClientProperties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A call whose user code throws once the response is there: its connection was never given back.
 */
@Timeout(60)
class FailedResponsesTest {

  private final RuntimeException torn = new IllegalStateException("torn");

  private final FaultServer server = FaultServer.start(Wire.HTTP_1_1);
  private final BlockingConnectionManager manager = BlockingConnectionManager.builder().build();
  private final ClientBuilder builder =
      ClientBuilder.newBuilder()
          .property(Apache5ClientProperties.CONNECTION_MANAGER, manager)
          .readTimeout(30, TimeUnit.SECONDS);

  @AfterEach
  void stop() {
    manager.close();
    server.close();
  }

  private Invocation.Builder call(Client client) {
    return client.target(server.uri(Script.ok().body(1_000_000))).request();
  }

  private int leased() {
    return manager.getTotalStats().getLeased();
  }

  @Test
  void aResponseFilterThatThrowsLeavesNoLease() {
    ClientResponseFilter tears =
        (request, response) -> {
          throw torn;
        };
    try (Client client = builder.register(tears).build()) {
      ProcessingException failure =
          assertThrows(ProcessingException.class, () -> call(client).get());
      assertSame(torn, failure.getCause());
      assertEquals(0, leased());
    }
  }

  @Test
  void norDoesItIfTheCallIsAsynchronous() {
    ClientResponseFilter tears =
        (request, response) -> {
          throw torn;
        };
    try (Client client = builder.register(tears).build()) {
      ExecutionException failure =
          assertThrows(
              ExecutionException.class, () -> call(client).async().get().get(20, TimeUnit.SECONDS));
      assertSame(torn, Objects.requireNonNull(failure.getCause()).getCause());
      assertEquals(0, leased());
    }
  }

  /** Jersey hands the response over with the exception. */
  @Test
  void aFilterThatThrowsAnIoExceptionLeavesTheResponseToTheCaller() {
    IOException thrown = new IOException("torn");
    ClientResponseFilter tears =
        (request, response) -> {
          throw thrown;
        };
    try (Client client = builder.register(tears).build()) {
      ResponseProcessingException failure =
          assertThrows(ResponseProcessingException.class, () -> call(client).get());
      assertSame(thrown, failure.getCause());
      try (Response response = failure.getResponse()) {
        assertEquals(1_000_000, response.readEntity(byte[].class).length);
      }
      assertEquals(0, leased());
    }
  }

  @Test
  void aReaderThatThrowsLeavesNoLease() {
    ReaderInterceptor tears =
        context -> {
          throw torn;
        };
    try (Client client = builder.register(tears).build()) {
      assertThrows(ProcessingException.class, () -> call(client).get(String.class));
      assertEquals(0, leased());
    }
  }

  /** Apache's chain has the lease then, and leaves it. */
  @Test
  void anErrorInApachesChainLeavesNoLease() {
    Error thrown = new LinkageError("torn");
    CredentialsProvider tears =
        (scope, context) -> {
          throw thrown;
        };
    try (Client client =
        builder.property(Apache5ClientProperties.CREDENTIALS_PROVIDER, tears).build()) {
      ProcessingException failure =
          assertThrows(
              ProcessingException.class,
              () -> client.target(server.uri(Script.ok().requires("a", "b"))).request().get());
      assertSame(thrown, failure.getCause());
      assertEquals(0, leased());
    }
  }
}
