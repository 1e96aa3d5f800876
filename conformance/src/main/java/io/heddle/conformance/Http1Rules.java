package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;

/** H1: what only HTTP/1.1 has. */
interface Http1Rules {

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
}
