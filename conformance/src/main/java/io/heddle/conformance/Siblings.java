package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/**
 * Exchanges of one client, half of which wait for a head and half for more of a body, until they
 * are let go on. On HTTP/2 they share a connection.
 */
final class Siblings {
  final Client client;
  private final Kit kit;
  private final int connection;
  private final List<URI> uris = new ArrayList<>();
  private final List<Caller<Void>> callers = new ArrayList<>();

  /** Twenty, on the only connection that the client may have. */
  Siblings(Kit kit) throws Exception {
    this(kit, 1);
  }

  Siblings(Kit kit, int maxConnections) throws Exception {
    this(kit, kit.settings().maxConnections(maxConnections), 20);
  }

  Siblings(Kit kit, ClientSettings.Builder settings, int count) throws Exception {
    this.kit = kit;
    this.client = kit.open(settings);
    URI first = kit.uri(Script.ok());
    kit.assertWhole(kit.execute(client, Call.get(first)), 200, 0);
    this.connection = kit.seen(first).connection();
    for (int i = 0; i < count; i++) {
      Script script = Script.ok().body(10_000).fault(Script.Fault.STALL, i % 2 == 0 ? -1 : 5000);
      URI uri = kit.uri(script);
      uris.add(uri);
      callers.add(
          kit.call(
              () -> {
                kit.assertWhole(kit.execute(client, Call.get(uri)), 200, 10_000);
                return null;
              }));
    }
    for (URI each : uris) {
      Seen seen = kit.seen(each);
      Bounds.await(Bounds.LONG, "a sibling stands still", seen::isStalled);
    }
  }

  /** Starts a call of the same client. */
  Standing join(Standing call) throws Exception {
    call.start(client);
    assertEquals(connection, kit.seen(call.uri()).connection(), "the connection is shared");
    return call;
  }

  /** All of them finish once they may, on that connection, and none was sent twice. */
  void assertUnharmed() {
    if (harmed() == 0) {
      kit.assertLeases(client, callers.size());
    }
    for (URI each : uris) {
      kit.server().seen(each).forEach(Seen::release);
    }
    Bounds.holds(Bounds.LONG, () -> harmed() > 0 || callers.stream().allMatch(Caller::isDone));
    long harmed = harmed();
    Kit.check(
        harmed == 0,
        harmed + " of " + callers.size() + " other calls have failed, or were sent again");
    callers.forEach(each -> each.result(Bounds.PROMPT));
    for (URI each : uris) {
      int brought = kit.seen(each).connection(); // and not twice
      Kit.check(brought == connection || !kit.wire().isMultiplexed(), "on another connection");
    }
    kit.assertIdle(client);
  }

  /** None of them has come to harm so far, and nothing else has a lease. */
  void assertStanding() {
    Kit.check(harmed() == 0, harmed() + " of " + callers.size() + " other calls have failed");
    kit.assertLeases(client, callers.size());
  }

  private long harmed() {
    long failed = callers.stream().filter(Caller::hasFailed).count();
    return failed + uris.stream().filter(uri -> kit.server().seen(uri).size() > 1).count();
  }
}
