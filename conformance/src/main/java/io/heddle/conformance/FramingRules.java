package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * FR: a message is what its framing says (RFC 9112, 6.3; RFC 9113, 8.1.1), and a connection on
 * which one did not come to its end is never used again. Beside these, a server of the kit looks at
 * what it gets in every rule: see {@link FaultServer#takeMalformed}.
 */
interface FramingRules {

  /** How a body that is not as long as it should be may be told: how else, the driver says. */
  List<Failure> UNSOUND =
      List.of(
          Failure.MALFORMED,
          Failure.TRUNCATED,
          Failure.GARBAGE,
          Failure.RESET_IN_BODY,
          Failure.RESET_BEFORE_HEAD);

  /** More than the buffers between a client and a server that has stopped to read. */
  int UPLOAD = 8 * 1024 * 1024;

  /** So that a call that hangs does not hang long. */
  Duration NOT_LONG = Bounds.patient(Duration.ofSeconds(4));

  @Rule("FR-01")
  default void responseThatIsTooShort(Kit kit) throws Exception {
    Client client = kit.open(kit.settings().readTimeout(NOT_LONG));
    Script told = Script.ok().length(1000);
    List<Script> scripts =
        kit.wire().isMultiplexed()
            ? List.of(told.body(500), told.body(0), told.bodiless())
            : List.of(
                told.body(500).close(),
                told.body(0).close(),
                Script.ok().body(1000).chunked().fault(Script.Fault.CLOSE, 0));
    for (Script each : scripts) {
      assertUnsound(kit, client, each, 500);
    }
  }

  @Rule("FR-02")
  default void responseThatIsTooLong(Kit kit) throws Exception {
    Client client = kit.open(kit.settings().readTimeout(NOT_LONG));
    if (kit.wire().isMultiplexed()) {
      Script together = Script.ok().length(10).body(500);
      Script later = Script.ok().length(10).body(500).drip(10, Duration.ofMillis(50));
      for (Script each : List.of(together, later)) {
        assertUnsound(kit, client, each, 10);
      }
      return;
    }
    // What is too much looks like a response, and must not become the next call's.
    for (int i = 0; i < 100; i++) {
      URI uri = kit.uri(Script.ok().body(10).surplus());
      Caller<@Nullable Void> caller =
          kit.call(
              () -> {
                kit.assertWhole(kit.execute(client, Call.get(uri)), 200, 10);
                return null;
              });
      Bounds.await(Bounds.LONG, "the call ends", caller::isDone);
      if (caller.hasFailed()) {
        kit.assertExpected(UNSOUND, caller.failure(Bounds.PROMPT));
      }
      kit.assertWorks(client);
    }
  }

  @Rule("FR-03")
  default void requestThatIsTooShort(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok());
    Body body = new Body.Stream(Contents.stream(50_000), 100_000);
    Caller<Integer> caller = kit.call(() -> kit.execute(client, Call.post(uri, body)).status());
    caller.failure(Bounds.PROMPT);
    for (Seen each : kit.server().seen(uri)) { // or none, if the client has looked before
      each.assertCutShort();
    }
    kit.assertIdle(client);
    kit.assertWorks(client);
  }

  @Rule("FR-04")
  default void requestThatIsTooLong(Kit kit) throws Exception {
    Client client = kit.open(kit.settings().readTimeout(NOT_LONG));
    URI uri = kit.uri(Script.ok());
    URI smuggled = kit.uri(Script.ok());
    String request = "GET " + smuggled.getPath() + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    InputStream stream =
        new SequenceInputStream(
            Contents.stream(1000),
            new ByteArrayInputStream(request.getBytes(StandardCharsets.US_ASCII)));
    Caller<Integer> caller =
        kit.call(
            () -> {
              try (Reply reply =
                  kit.execute(client, Call.post(uri, new Body.Stream(stream, 1000)))) {
                return reply.status();
              }
            });
    Bounds.await(Bounds.PROMPT, "the call ends, one way or the other", caller::isDone);
    kit.assertIdle(client);
    for (int i = 0; i < 3; i++) {
      kit.assertWorks(client);
    }
    assertEquals(List.of(), kit.server().seen(smuggled), "what was too much became a request");
    for (Seen each : kit.server().seen(uri)) {
      assertTrue(each.bodyBytes() <= 1000 && each.isBodySound(), "too much was sent: " + each);
    }
  }

  @Rule("FR-05")
  default void earlyAnswerLeavesNoHalfOfARequest(Kit kit) throws Exception {
    FaultServer other = kit.server(Certificates.RIGHT, 100);
    Path file = Files.createTempFile("heddle", "body");
    kit.closing(() -> Files.delete(file));
    Files.write(file, Contents.first(UPLOAD));
    List<Body> bodies = List.of(new Body.Bytes(Contents.first(UPLOAD)), new Body.OfFile(file));
    for (int status : new int[] {303, 307, 401, 413}) {
      ClientSettings.Builder settings =
          kit.settings().readTimeout(NOT_LONG).credentials("penelope", "ithaca");
      Client client = kit.open(settings.followRedirects());
      for (FaultServer target : status < 400 ? List.of(kit.server(), other) : List.of(other)) {
        for (Body each : bodies) {
          assertAnsweredEarly(kit, client, status, target, each);
        }
      }
    }
    Client client = kit.open(kit.settings().readTimeout(NOT_LONG));
    for (int i = 0; i < 5; i++) { // in chunks, and the server reads on at once
      URI uri = kit.uri(Script.answer(413).body(100).early());
      Body chunks = new Body.Writer(out -> out.write(Contents.first(UPLOAD)));
      kit.assertWhole(kit.execute(client, Call.post(uri, chunks)), 413, 100);
      kit.assertWorks(client);
      Seen seen = kit.seen(uri);
      Bounds.settled(seen::bodyBytes);
      assertTrue(
          !seen.isBodyComplete() || seen.bodyBytes() == UPLOAD,
          "a body that was cut came to an end: " + seen);
    }
  }

  private static void assertAnsweredEarly(
      Kit kit, Client client, int status, FaultServer to, Body body) throws Exception {
    // It reads on once it has answered: who sends the rest may do so, and nothing else instead.
    Script early = Script.answer(status).early().take(1000);
    URI target = to.uri(Script.ok().body(100));
    URI uri =
        kit.uri(
            switch (status) {
              case 401 -> Script.ok().body(100).requires("penelope", "ithaca").early().take(1000);
              case 413 -> early.body(100);
              default -> early.header("Location", target.toString());
            });
    Call.Builder call = Call.post(uri, body);
    kit.assertWhole(kit.execute(client, call), status == 413 ? 413 : 200, 100);
    for (int i = 0; i < 3; i++) {
      kit.assertWorks(client);
      if (status < 400) {
        kit.assertWorks(client, to);
      }
    }
    List<Seen> all = new ArrayList<>(kit.server().seen(uri));
    if (status == 307) {
      Seen last = kit.seen(to, target);
      assertEquals("POST", last.method());
      assertEquals(UPLOAD, last.bodyBytes(), "bytes that arrived where the answer pointed");
      all.add(last);
    }
    for (Seen each : all) {
      assertTrue(each.isBodySound(), "what is not of the body is in the body: " + each);
      assertTrue(each.bodyBytes() <= UPLOAD, "more than the body: " + each);
    }
  }

  /** The call fails, at its head or in its body, and its body is not taken for a whole one. */
  private static void assertUnsound(Kit kit, Client client, Script script, int atMost)
      throws Exception {
    URI uri = kit.uri(script);
    AtomicLong read = new AtomicLong();
    Caller<@Nullable Void> caller =
        kit.call(
            () -> {
              try (Reply reply = kit.execute(client, Call.get(uri))) {
                InputStream in = reply.body();
                while (in.read() >= 0) {
                  read.incrementAndGet();
                }
              }
              return null;
            });
    Bounds.await(Bounds.LONG, "the call ends", caller::isDone);
    assertTrue(caller.hasFailed(), read + " bytes are taken for a whole body, of " + script);
    Throwable failure = caller.failure(Bounds.PROMPT);
    kit.assertExpected(UNSOUND, failure);
    assertTrue(read.get() <= atMost, read + " bytes could be read");
    kit.assertIdle(client);
    kit.assertWorks(client);
  }
}
