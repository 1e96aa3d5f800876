package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** FA: failures of the network and of the server. */
interface FailureRules {

  /** How many bytes of a body come before it breaks. */
  int SOUND = 50_000;

  /** How many bytes of an upload are written before it breaks: enough that some are sent. */
  int CUT = 4 * 1024 * 1024;

  @Rule("FA-01")
  default void refused(Kit kit) throws Exception {
    Client client = kit.open();
    URI nobody;
    try (ServerSocket listener = new ServerSocket(0)) {
      nobody = URI.create(kit.wire().scheme() + "://127.0.0.1:" + listener.getLocalPort() + "/");
    }
    assertFails(kit, client, Call.get(nobody), Failure.REFUSED);
  }

  @Rule("FA-02")
  default void unknownHost(Kit kit) throws Exception {
    String nowhere = "nowhere.heddle.test";
    NameLookup lookup =
        host -> {
          if (host.equals(nowhere)) {
            throw new UnknownHostException(host);
          }
          return List.of(InetAddress.getLoopbackAddress());
        };
    Client client = kit.open(kit.settings().lookup(lookup));
    URI uri = kit.server().uri(nowhere, Script.ok());
    assertFails(kit, client, Call.get(uri), Failure.UNKNOWN_HOST);
  }

  @Rule("FA-03")
  default void resetBeforeHead(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok().fault(Script.Fault.RESET));
    assertFails(kit, client, Call.get(uri), Failure.RESET_BEFORE_HEAD);
  }

  @Rule("FA-04")
  default void closeBeforeHead(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok().fault(Script.Fault.CLOSE));
    assertFails(kit, client, Call.get(uri), Failure.RESET_BEFORE_HEAD);
  }

  @Rule("FA-05")
  default void staleConnection(Kit kit) throws Exception {
    Client client = kit.open();
    for (int i = 0; i < 20; i++) {
      kit.assertWorks(client);
      kit.server().closeConnections();
      kit.assertWorks(client);
    }
  }

  @Rule("FA-06")
  default void postIsNotSentTwice(Kit kit) throws Exception {
    Client client = kit.open();
    for (int length : new int[] {1000, 0}) { // nothing to send is no leave to send it again
      kit.assertWorks(client); // so that its connection has been used before
      URI uri = kit.uri(Script.ok().fault(Script.Fault.RESET));
      Body body = new Body.Bytes(Contents.first(length));
      assertFails(kit, client, Call.post(uri, body), Failure.RESET_BEFORE_HEAD);
      assertEquals(1, kit.server().seen(uri).size(), "times sent");
    }
  }

  @Rule("FA-07")
  default void resetInBody(Kit kit) throws Exception {
    assertBreaks(
        kit, Script.ok().body(2 * SOUND).fault(Script.Fault.RESET, SOUND), Failure.RESET_IN_BODY);
  }

  @Rule("FA-08")
  default void resetInUpload(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok().early().delay(Duration.ofMillis(100)).fault(Script.Fault.RESET));
    Call.Builder call = Call.post(uri, new Body.Writer(Contents.endless()));
    assertFails(kit, client, call, Failure.RESET_BEFORE_HEAD);
  }

  @Rule("FA-09")
  default void brokenBodyStaysBroken(Kit kit) throws Exception {
    Client client = kit.open();
    Script script = Script.ok().body(2 * SOUND).fault(Script.Fault.RESET, SOUND);
    Reply reply = kit.get(client, script);
    InputStream in = reply.body();
    in.skipNBytes(SOUND);
    Set<Throwable> failures = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < 3; i++) {
      IOException failure = assertThrows(IOException.class, () -> in.read(new byte[100]));
      assertTrue(failures.add(failure), "the same exception again: " + failure);
    }
    closeBroken(reply);
  }

  @Rule("FA-10")
  default void brokenWriter(Kit kit) throws Exception {
    Client client = kit.open();
    IOException torn = new IOException("the warp is torn");
    URI ofWriter = kit.uri(Script.ok());
    BodyWriter writer =
        out -> {
          Contents.writer(CUT).writeTo(out);
          kit.seen(ofWriter);
          throw torn;
        };
    assertCutShort(kit, client, Call.post(ofWriter, new Body.Writer(writer)), torn);
    kit.seen(ofWriter).assertCutShort();
    URI ofStream = kit.uri(Script.ok());
    InputStream stream =
        new FilterInputStream(Contents.stream(CUT)) {
          @Override
          public int read(byte[] b, int off, int len) throws IOException {
            int n = super.read(b, off, len);
            if (n < 0) {
              kit.seen(ofStream);
              throw torn;
            }
            return n;
          }
        };
    assertCutShort(kit, client, Call.post(ofStream, new Body.Stream(stream, -1)), torn);
    kit.seen(ofStream).assertCutShort();
    kit.assertIdle(client);
    kit.assertWorks(client);
  }

  private static void assertCutShort(Kit kit, Client client, Call.Builder call, IOException torn) {
    assertIn(TraceRules.failureOf(kit, client, call), torn);
  }

  /** What the caller's own source threw is the failure, or a cause of it. */
  static void assertIn(Throwable failure, IOException torn) {
    Throwable cause = failure;
    while (cause != null && !cause.equals(torn)) {
      cause = cause.getCause();
    }
    assertSame(torn, cause, () -> "what the writer threw is not in " + failure);
  }

  /** The call fails as it should, and the client's next call works. */
  static void assertFails(Kit kit, Client client, Call.Builder call, Failure kind)
      throws Exception {
    assertFails(kit, client, call, kind, 0);
  }

  /**
   * The same.
   *
   * @param leases how many other calls have
   */
  static void assertFails(Kit kit, Client client, Call.Builder call, Failure kind, int leases)
      throws Exception {
    Throwable failure = TraceRules.failureOf(kit, client, call);
    kit.assertExpected(kind, failure);
    TraceRules.assertShowsCaller(failure);
    kit.assertLeases(client, leases);
    kit.assertWorks(client);
  }

  /** A body that breaks: what came before can be read, then a read fails. */
  static void assertBreaks(Kit kit, Script script, Failure kind) throws Exception {
    Client client = kit.open();
    Reply reply = kit.get(client, script);
    InputStream in = reply.body();
    byte[] sound = in.readNBytes(SOUND);
    assertEquals(SOUND, sound.length);
    Contents.check(sound, SOUND, 0);
    IOException failure =
        assertThrows(IOException.class, in::read, "a body that broke is taken for a whole one");
    kit.assertExpected(kind, failure);
    TraceRules.assertShowsCaller(failure);
    closeBroken(reply);
    kit.assertIdle(client);
    kit.assertWorks(client);
  }

  /** Some libraries tell once more when a broken response is closed, and some do not. */
  private static void closeBroken(Reply reply) {
    try {
      reply.close();
    } catch (IOException e) {
      // known already
    }
  }
}
