package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.Authentication;
import org.eclipse.jetty.client.BasicAuthentication;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.http.HttpCookie;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.Attributes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * User code that throws, in places where Jetty calls it and does not expect that: callers were seen
 * to wait for ever. Each call fails with what was thrown, and the next one, on the only connection
 * that is allowed, works.
 */
@Timeout(60)
class UserCodeThrowsTest {

  private final IllegalStateException torn = new IllegalStateException("torn");
  private @Nullable BlockingJettyClient client;
  private @Nullable FaultServer server;
  private volatile boolean throwing = true;

  private interface Calls {
    Request to(BlockingJettyClient client, FaultServer server);
  }

  @AfterEach
  void stop() throws Exception {
    if (client != null) {
      client.stop();
    }
    if (server != null) {
      server.close();
    }
  }

  private BlockingJettyClient open(Wire wire) throws Exception {
    server = FaultServer.start(wire);
    BlockingJettyClient opened = new BlockingJettyClient(JettyClient.transport(wire));
    opened.setMaxConnectionsPerDestination(1);
    client = opened;
    return opened;
  }

  private <T> T tear(T otherwise) {
    if (throwing) {
      throw torn;
    }
    return otherwise;
  }

  /** Both ways to make a call fail with what was thrown; the next call works. */
  private void assertFails(BlockingJettyClient client, Calls calls) throws Exception {
    client.start();
    FaultServer server = Objects.requireNonNull(this.server);
    ExecutionException whole =
        assertThrows(ExecutionException.class, () -> calls.to(client, server).send());
    assertSame(torn, whole.getCause());
    try (BlockingResponseListener listener = new BlockingResponseListener()) {
      calls.to(client, server).send(listener);
      ExecutionException streamed =
          assertThrows(ExecutionException.class, () -> listener.get(20, TimeUnit.SECONDS));
      assertSame(torn, streamed.getCause());
    }
    throwing = false;
    URI next = server.uri(Script.ok());
    assertEquals(200, client.newRequest(next).timeout(20, TimeUnit.SECONDS).send().getStatus());
  }

  private static Script challenge() {
    return Script.ok().requires("penelope", "ithaca");
  }

  private static class Credentials extends BasicAuthentication {
    Credentials() {
      super(URI.create("http://heddle.test"), Authentication.ANY_REALM, "penelope", "ithaca");
    }

    @Override
    public boolean matches(String type, URI uri, String realm) {
      return true;
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void anAuthenticationThatIsLookedUp(Wire wire) throws Exception {
    BlockingJettyClient client = open(wire);
    client
        .getAuthenticationStore()
        .addAuthentication(
            new Credentials() {
              @Override
              public boolean matches(String type, URI uri, String realm) {
                return tear(true);
              }
            });
    assertFails(client, (by, to) -> by.newRequest(to.uri(challenge())));
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void anAuthenticationThatIsAsked(Wire wire) throws Exception {
    BlockingJettyClient client = open(wire);
    client
        .getAuthenticationStore()
        .addAuthentication(
            new Credentials() {
              @Override
              public Result authenticate(
                  Request request,
                  ContentResponse response,
                  HeaderInfo headerInfo,
                  Attributes context) {
                return tear(super.authenticate(request, response, headerInfo, context));
              }
            });
    assertFails(client, (by, to) -> by.newRequest(to.uri(challenge())));
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void aResultThatIsApplied(Wire wire) throws Exception {
    BlockingJettyClient client = open(wire);
    URI uri = Objects.requireNonNull(server).uri(Script.ok());
    client
        .getAuthenticationStore()
        .addAuthenticationResult(
            new Authentication.Result() {
              @Override
              public URI getURI() {
                return URI.create(uri.getScheme() + "://" + uri.getAuthority());
              }

              @Override
              public void apply(Request request) {
                tear(request);
              }
            });
    assertFails(client, (by, to) -> by.newRequest(to.uri(Script.ok())));
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void aCookieStoreThatIsAsked(Wire wire) throws Exception {
    BlockingJettyClient client = open(wire);
    client.setHttpCookieStore(
        new HttpCookieStore.Default() {
          @Override
          public List<HttpCookie> match(URI uri) {
            return tear(super.match(uri));
          }
        });
    assertFails(client, (by, to) -> by.newRequest(to.uri(Script.ok())));
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void trailers(Wire wire) throws Exception {
    BlockingJettyClient client = open(wire);
    assertFails(
        client,
        (by, to) ->
            by.POST(to.uri(Script.ok()))
                .body(new BytesRequestContent(new byte[10]))
                .trailersSupplier(() -> tear(HttpFields.EMPTY)));
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void aBodyThatIsRewound(Wire wire) throws Exception {
    BlockingJettyClient client = open(wire);
    client.getAuthenticationStore().addAuthentication(new Credentials());
    assertFails(
        client,
        (by, to) ->
            by.POST(to.uri(challenge()))
                .body(
                    new BytesRequestContent(new byte[1000]) {
                      @Override
                      public boolean rewind() {
                        return tear(super.rewind());
                      }
                    }));
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void aBodyThatIsAskedForItsLength(Wire wire) throws Exception {
    BlockingJettyClient client = open(wire);
    assertFails(
        client,
        (by, to) ->
            by.POST(to.uri(Script.ok()))
                .body(
                    new BytesRequestContent(new byte[1000]) {
                      @Override
                      public long getLength() {
                        return tear(super.getLength());
                      }
                    }));
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void aBodyThatIsAskedForMore(Wire wire) throws Exception {
    BlockingJettyClient client = open(wire);
    assertFails(
        client,
        (by, to) ->
            by.POST(to.uri(Script.ok()))
                .body(
                    new BytesRequestContent(new byte[1000]) {
                      @Override
                      public Content.@Nullable Chunk read() {
                        return throwing ? null : super.read();
                      }

                      @Override
                      public void demand(Runnable demandCallback) {
                        super.demand(tear(demandCallback));
                      }
                    }));
  }
}
