package io.heddle.jersey;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import jakarta.inject.Singleton;
import jakarta.ws.rs.ProcessingException;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import java.lang.annotation.Annotation;
import java.net.URI;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.glassfish.hk2.api.ActiveDescriptor;
import org.glassfish.hk2.api.Context;
import org.glassfish.hk2.api.MultiException;
import org.glassfish.hk2.api.ServiceHandle;
import org.glassfish.hk2.api.TypeLiteral;
import org.glassfish.hk2.utilities.binding.AbstractBinder;
import org.glassfish.jersey.process.internal.RequestScoped;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The first calls of a client wait for each other in HK2 3.0.6: {@code Cache.compute} ends at an
 * interrupt with a {@code RuntimeException}, and does not set the flag again. docs/jersey.md says
 * so; no connector has the call by then.
 */
@Timeout(60)
class LostInterruptTest {

  /** Holds up the call that asks HK2 first for what is of a request. */
  @Singleton
  private static final class Gate implements Context<RequestScoped> {
    final CompletableFuture<Void> reached = new CompletableFuture<>();
    final CompletableFuture<Void> opened = new CompletableFuture<>();

    @Override
    public boolean isActive() {
      reached.complete(null);
      opened.join();
      return false; // Jersey's own is the one to be taken
    }

    @Override
    public Class<? extends Annotation> getScope() {
      return RequestScoped.class;
    }

    @Override
    public <U> U findOrCreate(ActiveDescriptor<U> descriptor, ServiceHandle<?> root) {
      throw new AssertionError("it is not active");
    }

    @Override
    public boolean containsKey(ActiveDescriptor<?> descriptor) {
      return false;
    }

    @Override
    public void destroyOne(ActiveDescriptor<?> descriptor) {}

    @Override
    public boolean supportsNullCreation() {
      return false;
    }

    @Override
    public void shutdown() {}
  }

  /** How a call ended, and the caller's flag behind it. */
  private record End(@Nullable Throwable thrown, boolean flag) {}

  @Test
  void whileHk2MakesWhatJerseyInjects() throws Exception {
    Gate gate = new Gate();
    AbstractBinder binder =
        new AbstractBinder() {
          @Override
          protected void configure() {
            bind(gate).to(new TypeLiteral<Context<RequestScoped>>() {});
          }
        };
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        Client client = ClientBuilder.newClient().register(binder)) {
      CompletableFuture<End> first = new CompletableFuture<>();
      start(client, server.uri(Script.ok()), first);
      gate.reached.get();

      URI uri = server.uri(Script.ok());
      CompletableFuture<End> second = new CompletableFuture<>();
      Thread caller = start(client, uri, second);
      while (!waitsForHk2(caller)) {
        Thread.sleep(2);
      }
      caller.interrupt();
      End end = second.get();
      assertInstanceOf(ProcessingException.class, end.thrown);
      assertInstanceOf(MultiException.class, end.thrown.getCause());
      assertFalse(end.flag, "the interrupt flag");
      assertEquals(0, server.seen(uri).size(), "times sent");

      gate.opened.complete(null);
      assertEquals(new End(null, false), first.get());
      CompletableFuture<End> next = new CompletableFuture<>();
      start(client, uri, next);
      assertEquals(new End(null, false), next.get());
    } finally {
      gate.opened.complete(null);
    }
  }

  private static Thread start(Client client, URI uri, CompletableFuture<End> end) {
    return Thread.ofVirtual()
        .start(
            () -> {
              Throwable thrown = null;
              try {
                client.target(uri).request().get().close();
              } catch (Throwable t) {
                thrown = t;
              }
              end.complete(new End(thrown, Thread.interrupted()));
            });
  }

  private static boolean waitsForHk2(Thread caller) {
    return Arrays.stream(caller.getStackTrace())
        .anyMatch(
            frame ->
                frame.getClassName().startsWith("org.glassfish.hk2.utilities.cache.Cache$")
                    && frame.getMethodName().equals("get"));
  }
}
