package io.heddle.jersey;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.apache.BlockingConnectionManager;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.ProcessingException;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import jakarta.ws.rs.client.ClientResponseFilter;
import jakarta.ws.rs.client.Invocation;
import jakarta.ws.rs.client.ResponseProcessingException;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ReaderInterceptor;
import java.io.IOException;
import java.net.URI;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.auth.CredentialsProvider;
import org.glassfish.jersey.apache5.connector.Apache5ClientProperties;
import org.glassfish.jersey.client.authentication.HttpAuthenticationFeature;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A call whose user code throws once the response is there: its connection was never given back.
 */
@Timeout(60)
class FailedResponsesTest {

  private static final String INNER = "inner";

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

  /** The feature puts the second call's answer in the place of the first one's. */
  @Test
  void norDoesOneBehindJerseysAuthentication() {
    ClientResponseFilter tears =
        (request, response) -> {
          if (request.getHeaderString("Authorization") == null) {
            throw torn;
          }
        };
    builder.register(
        HttpAuthenticationFeature.basicBuilder().nonPreemptive().credentials("a", "b").build());
    builder.register(tears, Priorities.AUTHENTICATION - 1);
    URI challenged = server.uri(Script.ok().requires("a", "b").body(1_000_000));
    try (Client client = builder.build()) {
      ProcessingException failure =
          assertThrows(ProcessingException.class, () -> client.target(challenged).request().get());
      assertSame(torn, failure.getCause());
      assertEquals(2, server.seen(challenged).size());
      assertEquals(0, leased());
    }
  }

  /** A filter's own call may fail without harm to the one that it is made for. */
  @Test
  void aCallOfAFilterThatFailsLeavesTheFirstResponseOpen() {
    ClientResponseFilter asksAgain =
        (request, response) -> {
          if (request.getProperty(INNER) == null) {
            Invocation.Builder again = call(request.getClient());
            request
                .getPropertyNames()
                .forEach(name -> again.property(name, request.getProperty(name)));
            again.property(INNER, true);
            assertThrows(ProcessingException.class, again::get);
          } else {
            throw torn;
          }
        };
    try (Client client = builder.register(asksAgain).build()) {
      assertEquals(1_000_000, call(client).get(byte[].class).length);
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
