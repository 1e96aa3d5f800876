package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Script;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.BasicHttpClientConnectionManager;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequestInterceptor;
import org.apache.hc.core5.http.io.entity.EntityTemplate;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Apache's chain closes the connection manager when an Error passes by. Here that ends the call
 * that it came from; whoever means to close everything still does.
 */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class ErrorOfUserCodeTest {

  private final Error torn = new LinkageError("torn");

  private final HttpRequestInterceptor tears =
      (request, entity, context) -> {
        if (request.containsHeader("tear")) {
          throw torn;
        }
      };

  /** A manager, a client over it, and a call that waits until it is let go on. */
  private final class House implements AutoCloseable {
    final FaultServer server;
    final BlockingConnectionManager manager;
    final CloseableHttpClient client;
    final CompletableFuture<Integer> other = new CompletableFuture<>();
    private final URI stalled;

    /** With Apache's minimal client. */
    House(Wire wire) throws Exception {
      this(wire, HttpClients::createMinimal);
    }

    House(Wire wire, HttpClientBuilder builder) throws Exception {
      this(
          wire, manager -> builder.setConnectionManager(manager).disableAutomaticRetries().build());
    }

    private House(Wire wire, Function<BlockingConnectionManager, CloseableHttpClient> clients)
        throws Exception {
      server = FaultServer.start(wire);
      manager =
          BlockingConnectionManager.builder()
              .setVersionPolicy(
                  wire == Wire.H2C ? HttpVersionPolicy.FORCE_HTTP_2 : HttpVersionPolicy.NEGOTIATE)
              .build();
      client = clients.apply(manager);
      assertEquals(200, get(new HttpGet(uri())));
      stalled = server.uri(Script.ok().fault(Script.Fault.STALL));
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  other.complete(get(new HttpGet(stalled)));
                } catch (IOException e) {
                  other.completeExceptionally(e);
                }
              });
      Threads.await("another call is under way", () -> !server.seen(stalled).isEmpty());
    }

    URI uri() {
      return server.uri(Script.ok());
    }

    int get(HttpGet get) throws IOException {
      return client.execute(get, ClassicHttpResponse::getCode);
    }

    void assertTorn() {
      HttpGet get = new HttpGet(uri());
      get.addHeader("tear", "yes");
      assertSame(torn, assertThrows(LinkageError.class, () -> get(get)));
    }

    void assertOthersGoOn() throws Exception {
      assertFalse(other.isDone());
      assertEquals(1, manager.leases());
      server.seen(stalled).get(0).release();
      assertEquals(200, other.get(20, TimeUnit.SECONDS));
      assertEquals(200, get(new HttpGet(uri())));
      assertEquals(0, manager.leases());
    }

    void assertAllClosed() {
      assertThrows(ExecutionException.class, () -> other.get(20, TimeUnit.SECONDS));
      assertThrows(IllegalStateException.class, () -> get(new HttpGet(uri())));
      assertEquals(0, manager.leases());
    }

    @Override
    public void close() throws IOException {
      client.close();
      server.close();
    }
  }

  @Test
  void anErrorOfAnEntityEndsItsCallOnly() throws Exception {
    for (Wire wire : List.of(Wire.HTTP_1_1, Wire.H2C)) {
      try (House house = new House(wire, BlockingHttpClients.custom())) {
        HttpPost post = new HttpPost(house.uri());
        post.setEntity(
            new EntityTemplate(
                -1,
                ContentType.APPLICATION_OCTET_STREAM,
                null,
                out -> {
                  out.write(new byte[100_000]);
                  out.flush();
                  throw torn;
                }));
        assertSame(
            torn,
            assertThrows(
                LinkageError.class,
                () -> house.client.execute(post, ClassicHttpResponse::getCode)));
        house.assertOthersGoOn();
        for (Seen each : house.server.seen(post.getUri())) {
          assertFalse(each.isBodyComplete());
        }
      }
    }
  }

  @Test
  void anErrorOfAnInterceptorEndsItsCallOnly() throws Exception {
    for (Wire wire : List.of(Wire.HTTP_1_1, Wire.H2C)) {
      try (House house =
          new House(wire, BlockingHttpClients.custom().addRequestInterceptorLast(tears))) {
        house.assertTorn();
        house.assertOthersGoOn();
      }
    }
  }

  /** Where there is only the connection manager of ours. */
  @Test
  void soItIsInAClientOfApachesOwnBuilder() throws Exception {
    try (House house = new House(Wire.H2C, HttpClients.custom().addRequestInterceptorLast(tears))) {
      house.assertTorn();
      house.assertOthersGoOn();
    }
  }

  @Test
  void soItIsInAMinimalClient() throws Exception {
    try (House house = new House(Wire.H2C)) {
      HttpPost post = new HttpPost(house.uri());
      post.setEntity(
          new EntityTemplate(
              -1,
              ContentType.APPLICATION_OCTET_STREAM,
              null,
              out -> {
                throw torn;
              }));
      assertThrows(
          LinkageError.class, () -> house.client.execute(post, ClassicHttpResponse::getCode));
      house.assertOthersGoOn();
    }
    try (House house = new House(Wire.H2C)) {
      house.client.close(CloseMode.IMMEDIATE);
      house.assertAllClosed();
    }
  }

  /** A handler of the chain stands outside of what Apache cleans up after. */
  @Test
  void anErrorOfAnExecHandlerLeavesNoLease() throws Exception {
    assertNoLeaseIsLeft(BlockingHttpClients.custom().addExecInterceptorFirst("tears", this::tear));
  }

  @Test
  void anErrorWithinThePreparedChainLeavesNoLease() throws Exception {
    assertNoLeaseIsLeft(
        BlockingHttpClients.prepare(
            HttpClientBuilder.create().addExecInterceptorFirst("tears", this::tear),
            org.apache.hc.core5.util.Timeout.DISABLED));
  }

  private ClassicHttpResponse tear(
      ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
      throws IOException, HttpException {
    ClassicHttpResponse response = chain.proceed(request, scope);
    if (request.containsHeader("tear")) {
      throw torn;
    }
    return response;
  }

  private void assertNoLeaseIsLeft(HttpClientBuilder builder) throws Exception {
    try (House house = new House(Wire.H2C, builder)) {
      HttpGet get = new HttpGet(house.server.uri(Script.ok().body(1_000_000)));
      get.addHeader("tear", "yes");
      assertSame(torn, assertThrows(LinkageError.class, () -> house.get(get)));
      house.assertOthersGoOn();
    }
  }

  /** A response that the same thread still reads is not the call that failed. */
  @Test
  void aResponseThatTheSameThreadReadsIsNotHarmed() throws Exception {
    try (House house =
        new House(Wire.H2C, BlockingHttpClients.custom().addRequestInterceptorLast(tears))) {
      HttpGet get = new HttpGet(house.server.uri(Script.ok().body(1_000_000)));
      int read =
          house.client.execute(
              get,
              response -> {
                house.assertTorn();
                return response.getEntity().getContent().readAllBytes().length;
              });
      assertEquals(1_000_000, read);
      house.assertOthersGoOn();
    }
  }

  /** A call within a call: each Error ends the calls that it passes, the inner one first. */
  @Test
  void callsThatAreNestedEndOneByOne() throws Exception {
    CompletableFuture<House> home = new CompletableFuture<>();
    HttpRequestInterceptor nests =
        (request, entity, context) -> {
          if (request.containsHeader("nest")) {
            home.join().assertTorn();
          }
          if (request.containsHeader("nest-torn")) {
            home.join().assertTorn();
            throw torn;
          }
        };
    try (House house =
        new House(
            Wire.H2C,
            BlockingHttpClients.custom()
                .addRequestInterceptorFirst(nests)
                .addRequestInterceptorLast(tears))) {
      home.complete(house);
      HttpGet survives = new HttpGet(house.uri());
      survives.addHeader("nest", "yes");
      assertEquals(200, house.get(survives));
      HttpGet ends = new HttpGet(house.uri());
      ends.addHeader("nest-torn", "yes");
      assertSame(torn, assertThrows(LinkageError.class, () -> house.get(ends)));
      house.assertOthersGoOn();
    }
  }

  @Test
  void closeInAResponseHandlerClosesAll() throws Exception {
    try (House house = new House(Wire.H2C, BlockingHttpClients.custom())) {
      house.client.execute(
          new HttpGet(house.uri()),
          response -> {
            house.client.close(CloseMode.IMMEDIATE);
            return response.getCode();
          });
      house.assertAllClosed();
    }
  }

  @Test
  void closeInAnInterceptorClosesAll() throws Exception {
    CompletableFuture<House> home = new CompletableFuture<>();
    HttpRequestInterceptor closes =
        (request, entity, context) -> {
          if (request.containsHeader("close")) {
            home.join().client.close(CloseMode.IMMEDIATE);
            assertThrows(
                ExecutionException.class, () -> home.join().other.get(20, TimeUnit.SECONDS));
          }
        };
    try (House house =
        new House(Wire.H2C, BlockingHttpClients.custom().addRequestInterceptorLast(closes))) {
      home.complete(house);
      HttpGet get = new HttpGet(house.uri());
      get.addHeader("close", "yes");
      assertThrows(IllegalStateException.class, () -> house.get(get));
      house.assertAllClosed();
    }
  }

  @Test
  void closeByAnotherThreadClosesAll() throws Exception {
    try (House house = new House(Wire.HTTP_1_1, BlockingHttpClients.custom())) {
      Thread.ofVirtual().start(() -> house.client.close(CloseMode.IMMEDIATE)).join();
      house.assertAllClosed();
    }
  }

  /** What {@link ApacheInternals} takes for granted. */
  @Test
  void apachesChainStillClosesTheManagerItself() throws Exception {
    CompletableFuture<Boolean> byChain = new CompletableFuture<>();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BasicHttpClientConnectionManager stock =
            new BasicHttpClientConnectionManager() {
              @Override
              public void close(CloseMode mode) {
                byChain.complete(ApacheInternals.isErrorPassing(getClass()));
                super.close(mode);
              }
            };
        CloseableHttpClient client =
            HttpClients.custom()
                .setConnectionManager(stock)
                .addRequestInterceptorLast(tears)
                .build()) {
      HttpGet get = new HttpGet(server.uri(Script.ok()));
      get.addHeader("tear", "yes");
      assertThrows(LinkageError.class, () -> client.execute(get, ClassicHttpResponse::getCode));
      assertEquals(true, byChain.getNow(false));
    }
  }
}
