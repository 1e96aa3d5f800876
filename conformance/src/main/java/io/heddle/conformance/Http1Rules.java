package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** H1: what only HTTP/1.1 has. */
interface Http1Rules {

  /** Bytes of a request body; few enough that no client waits for room. */
  int UPLOAD = 10_000;

  @Rule("H1-01")
  default void truncatedBodyOfKnownLength(Kit kit) throws Exception {
    Script script = Script.ok().body(2 * FailureRules.SOUND);
    FailureRules.assertBreaks(
        kit, script.fault(Script.Fault.CLOSE, FailureRules.SOUND), Failure.TRUNCATED);
  }

  @Rule("H1-02")
  default void truncatedChunkedBody(Kit kit) throws Exception {
    Script script = Script.ok().body(2 * FailureRules.SOUND).chunked();
    FailureRules.assertBreaks(
        kit, script.fault(Script.Fault.CLOSE, FailureRules.SOUND), Failure.TRUNCATED);
  }

  @Rule("H1-03")
  default void garbage(Kit kit) throws Exception {
    URI uri = kit.uri(Script.ok().fault(Script.Fault.GARBAGE));
    FailureRules.assertFails(kit, kit.open(), Call.get(uri), Failure.GARBAGE);
  }

  @Rule("H1-04")
  default void endlessHead(Kit kit) throws Exception {
    URI uri = kit.uri(Script.ok().fault(Script.Fault.ENDLESS_HEAD));
    FailureRules.assertFails(kit, kit.open(), Call.get(uri), Failure.OVERSIZED_HEAD);
  }

  @Rule("H1-05")
  default void bodyUntilClose(Kit kit) throws Exception {
    Client client = kit.open();
    kit.assertWhole(kit.get(client, Script.ok().body(100_000).untilClose()), 200, 100_000);
    kit.assertWorks(client);
  }

  @Rule("H1-06")
  default void connectionThatIsToBeClosed(Kit kit) throws Exception {
    Client client = kit.open();
    int before = kit.server().connectionsAccepted();
    // The server leaves the end to the client: one that waited for it would go on here.
    kit.assertWhole(kit.get(client, Script.ok().body(100).header("Connection", "close")), 200, 100);
    kit.assertWorks(client);
    assertEquals(2, kit.server().connectionsAccepted() - before, "connections");
  }

  @Rule("H1-07")
  default void sourceThatLingers(Kit kit) throws Exception {
    Client client = kit.open();
    int before = kit.server().connectionsAccepted();
    for (int i = 0; i < 2; i++) {
      URI uri = kit.uri(Script.ok().body(100));
      InputStream source = endingLate(kit, uri, null);
      kit.assertWhole(
          kit.execute(client, Call.post(uri, new Body.Stream(source, UPLOAD))), 200, 100);
    }
    assertEquals(1, kit.server().connectionsAccepted() - before, "connections");
  }

  @Rule("H1-08")
  default void sourceThatFailsBehindItsLastByte(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok().body(100));
    IOException torn = new IOException("the warp is torn");
    Call.Builder call = Call.post(uri, new Body.Stream(endingLate(kit, uri, torn), UPLOAD));
    try {
      kit.assertWhole(kit.execute(client, call), 200, 100);
    } catch (Exception e) { // the library reads on until the end
      FailureRules.assertIn(e, torn);
    }
    kit.assertIdle(client);
    kit.assertWorks(client);
  }

  /**
   * All bytes of a body at once; and its end, or a failure, when the answer is there as far as
   * anybody can tell, or if the library sends nothing before it has seen the end.
   */
  private static InputStream endingLate(Kit kit, URI uri, @Nullable IOException failure) {
    BooleanSupplier answered = () -> kit.server().seen(uri).stream().anyMatch(Seen::isAnswered);
    return new FilterInputStream(Contents.stream(UPLOAD)) {
      @Override
      public int read(byte[] b, int off, int len) throws IOException {
        int n = super.read(b, off, len);
        if (n < 0) {
          if (Bounds.holds(Bounds.RELEASE, answered)) {
            Bounds.park(Bounds.ARRIVAL);
          }
          if (failure != null) {
            throw failure;
          }
        }
        return n;
      }
    };
  }
}
