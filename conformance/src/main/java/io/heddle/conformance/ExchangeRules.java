package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** EX: exchanges that go well. */
interface ExchangeRules {

  /** More than all buffers on the way together can hold. */
  int MORE_THAN_BUFFERS = 32 * 1024 * 1024;

  /** What the buffers on the way may hold. */
  int BUFFERS = 24 * 1024 * 1024;

  /** Longer than a library waits for a 100, and short for one that waits until this is over. */
  Duration READ_TIMEOUT = Bounds.patient(Duration.ofSeconds(6));

  @Rule("EX-01")
  default void get(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok().body(100_000).header("x-warp", "weft"));
    Reply reply = kit.execute(client, Call.get(uri).header("x-question", "which"));
    assertEquals(kit.wire().isMultiplexed() ? "HTTP/2" : "HTTP/1.1", reply.protocol());
    assertEquals("weft", reply.header("X-Warp"));
    kit.assertWhole(reply, 200, 100_000);
    assertEquals("GET", kit.seen(uri).method());
    assertEquals("which", kit.seen(uri).header("x-question"));
  }

  @Rule("EX-02")
  default void head(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok().body(1000));
    Reply reply = kit.execute(client, Call.head(uri));
    assertEquals("1000", reply.header("content-length"));
    kit.assertWhole(reply, 200, 0);
    assertEquals("HEAD", kit.seen(uri).method());
    kit.assertWorks(client);
  }

  @Rule("EX-03")
  default void responsesWithoutBody(Kit kit) throws Exception {
    Client client = kit.open(kit.settings().readTimeout(READ_TIMEOUT));
    int before = kit.server().connectionsAccepted();
    kit.assertWhole(kit.get(client, Script.answer(204)), 204, 0);
    kit.assertWhole(kit.get(client, Script.answer(304).body(1000)), 304, 0);
    kit.assertWhole(kit.get(client, Script.ok()), 200, 0);
    kit.assertWhole(kit.get(client, Script.ok().chunked()), 200, 0);
    kit.assertWorks(client);
    assertEquals(1, kit.server().connectionsAccepted() - before, "connections");
  }

  @Rule("EX-04")
  default void postOfKnownLength(Kit kit) throws Exception {
    Client client = kit.open();
    for (int length : new int[] {0, 1, 100_000}) {
      URI uri = kit.uri(Script.ok().body(10));
      Body body = new Body.Bytes(Contents.first(length));
      kit.assertWhole(kit.execute(client, Call.post(uri, body)), 200, 10);
      assertBody(kit.seen(uri), length);
      assertEquals(Integer.toString(length), kit.seen(uri).header("content-length"));
    }
  }

  @Rule("EX-05")
  default void postOfUnknownLength(Kit kit) throws Exception {
    Client client = kit.open();
    for (int length : new int[] {0, 1, 100_000}) {
      URI uri = kit.uri(Script.ok().body(10));
      Body body = new Body.Writer(Contents.writer(length));
      kit.assertWhole(kit.execute(client, Call.post(uri, body)), 200, 10);
      assertBody(kit.seen(uri), length);
    }
  }

  @Rule("EX-06")
  default void postOfStream(Kit kit) throws Exception {
    Client client = kit.open();
    for (long told : new long[] {100_000, -1}) {
      URI uri = kit.uri(Script.ok().body(10));
      Body body = new Body.Stream(Contents.stream(100_000), told);
      kit.assertWhole(kit.execute(client, Call.post(uri, body)), 200, 10);
      assertBody(kit.seen(uri), 100_000);
      assertEquals(told < 0 ? null : "100000", kit.seen(uri).header("content-length"));
    }
  }

  @Rule("EX-07")
  default void manySmallWrites(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok());
    BodyWriter writer =
        out -> {
          InputStream from = Contents.stream(30_000);
          for (int i = 0; i < 10_000; i++) {
            out.write(from.read());
            out.write(from.readNBytes(2));
          }
        };
    kit.assertWhole(kit.execute(client, Call.post(uri, new Body.Writer(writer))), 200, 0);
    assertBody(kit.seen(uri), 30_000);
  }

  @Rule("EX-08")
  default void flushedBytesLeave(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok());
    BodyWriter writer =
        out -> {
          byte[] bytes = Contents.first(2000);
          out.write(bytes, 0, 1000);
          out.flush();
          Seen seen = kit.seen(uri);
          Bounds.await(
              Bounds.LONG, "what was flushed reaches the server", () -> seen.bodyBytes() == 1000);
          out.write(bytes, 1000, 1000);
        };
    kit.assertWhole(kit.execute(client, Call.post(uri, new Body.Writer(writer))), 200, 0);
    assertBody(kit.seen(uri), 2000);
  }

  @Rule("EX-09")
  default void bytesAreReadAsTheyCome(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok().body(2000).fault(Script.Fault.STALL, 1000));
    Reply reply = kit.execute(client, Call.get(uri));
    assertEquals(1000, reply.body().readNBytes(1000).length);
    kit.seen(uri).release();
    assertEquals(1000, reply.body().readNBytes(2000).length);
    reply.close();
  }

  @Rule("EX-10")
  default void oddReads(Kit kit) throws Exception {
    Client client = kit.open();
    Reply reply = kit.get(client, Script.ok().body(10_000));
    InputStream in = reply.body();
    byte[] all = Contents.first(10_000);
    byte[] buffer = new byte[100];
    assertEquals(0, in.read(buffer, 50, 0));
    assertEquals(all[0] & 0xff, in.read());
    assertTrue(in.available() >= 0);
    assertThrows(IndexOutOfBoundsException.class, () -> in.read(buffer, 90, 20));
    assertEquals(10, in.readNBytes(buffer, 5, 10));
    assertTrue(Arrays.equals(all, 1, 11, buffer, 5, 15), "bytes 1 to 10");
    in.skipNBytes(89);
    assertTrue(Arrays.equals(all, 100, 1000, in.readNBytes(900), 0, 900), "bytes 100 to 999");
    assertTrue(Arrays.equals(all, 1000, 10_000, in.readAllBytes(), 0, 9000), "the rest");
    assertEquals(-1, in.read());
    assertEquals(-1, in.read(buffer, 0, 10));
    in.close();
    in.close();
    assertThrows(IOException.class, in::read);
    assertThrows(IOException.class, () -> in.read(buffer, 0, 10));
    reply.close();
    reply.close();
  }

  @Rule("EX-11")
  default void gzip(Kit kit) throws Exception {
    Client client = kit.open(kit.settings().decompress());
    kit.assertWhole(kit.get(client, Script.ok().body(100_000).gzip()), 200, 100_000);
  }

  @Rule("EX-12")
  default void trailers(Kit kit) throws Exception {
    Client client = kit.open();
    Reply reply = kit.get(client, Script.ok().body(100_000).trailers());
    assertEquals(100_000, Contents.check(reply.body()));
    String checksum = Long.toString(Contents.checksum(100_000));
    assertEquals(Map.of("x-checksum", checksum), reply.trailers());
    reply.close();
  }

  @Rule("EX-13")
  default void redirectOfGet(Kit kit) throws Exception {
    Client client = kit.open(kit.settings().followRedirects());
    URI target = kit.uri(Script.ok().body(100));
    Script redirect = Script.answer(302).header("Location", target.toString()).body(1000);
    kit.assertWhole(kit.get(client, redirect), 200, 100);
    assertEquals("GET", kit.seen(target).method());
  }

  @Rule("EX-14")
  default void redirectOfPost(Kit kit) throws Exception {
    Client client = kit.open(kit.settings().followRedirects());
    for (int status : new int[] {307, 308}) {
      URI target = kit.uri(Script.ok().body(100));
      URI uri = kit.uri(Script.answer(status).header("Location", target.toString()));
      Body body = new Body.Bytes(Contents.first(100_000));
      kit.assertWhole(kit.execute(client, Call.post(uri, body)), 200, 100);
      assertBody(kit.seen(target), 100_000);
      assertEquals("POST", kit.seen(target).method());
    }
  }

  @Rule("EX-15")
  default void credentials(Kit kit) throws Exception {
    Client client = kit.open(kit.settings().credentials("penelope", "ithaca"));
    URI uri = kit.uri(Script.ok().body(100).requires("penelope", "ithaca"));
    Body body = new Body.Bytes(Contents.first(100_000));
    kit.assertWhole(kit.execute(client, Call.post(uri, body)), 200, 100);
    List<Seen> requests = kit.server().seen(uri);
    assertBody(requests.get(requests.size() - 1), 100_000);
  }

  @Rule("EX-16")
  default void cookies(Kit kit) throws Exception {
    Client client = kit.open(kit.settings().cookies());
    Script sets = Script.ok().header("Set-Cookie", "warp=weft; Path=/");
    kit.assertWhole(kit.get(client, sets), 200, 0);
    URI uri = kit.uri(Script.ok());
    kit.assertWhole(kit.execute(client, Call.get(uri)), 200, 0);
    assertEquals("warp=weft", kit.seen(uri).header("cookie"));
  }

  @Rule("EX-17")
  default void expectationAccepted(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok().body(100).expect(Script.Expect.ACCEPT));
    Body body = new Body.Bytes(Contents.first(100_000));
    Call.Builder call = Call.post(uri, body).expectContinue();
    kit.assertWhole(kit.execute(client, call), 200, 100);
    assertBody(kit.seen(uri), 100_000);
    assertNotNull(kit.seen(uri).header("expect"));
    assertFalse(kit.seen(uri).isBodyWithoutContinue(), "the body came before the 100");
  }

  @Rule("EX-18")
  default void expectationRefused(Kit kit) throws Exception {
    Client client = kit.open();
    for (int status : new int[] {417, 413}) {
      URI uri = kit.uri(Script.answer(status).body(100).expect(Script.Expect.REFUSE));
      Body body = new Body.Bytes(Contents.first(100_000));
      Call.Builder call = Call.post(uri, body).expectContinue();
      kit.assertWhole(kit.execute(client, call), status, 100);
      assertEquals(0, kit.seen(uri).bodyBytes());
      kit.assertWorks(client);
    }
  }

  @Rule("EX-19")
  default void expectationIgnored(Kit kit) throws Exception {
    Client client = kit.open(kit.settings().readTimeout(READ_TIMEOUT));
    URI uri = kit.uri(Script.ok().body(100).expect(Script.Expect.IGNORE));
    Body body = new Body.Bytes(Contents.first(100_000));
    Call.Builder call = Call.post(uri, body).expectContinue();
    kit.assertWhole(kit.execute(client, call), 200, 100);
    assertBody(kit.seen(uri), 100_000);
  }

  @Rule("EX-20")
  default void earlyAnswer(Kit kit) throws Exception {
    Client client = kit.open();
    Script script = Script.answer(413).body(100).early();
    Body body = new Body.Writer(Contents.writer(MORE_THAN_BUFFERS));
    kit.assertWhole(kit.execute(client, Call.post(kit.uri(script), body)), 413, 100);
    kit.assertWorks(client);
  }

  @Rule("EX-21")
  default void earlyAnswerThenClose(Kit kit) throws Exception {
    Client client = kit.open();
    Script script = Script.answer(413).body(100).early().close();
    Call.Builder call = Call.post(kit.uri(script), new Body.Writer(Contents.endless()));
    kit.assertWhole(kit.execute(client, call), 413, 100);
    kit.assertWorks(client);
  }

  @Rule("EX-22")
  default void slowReaderHoldsTheServerBack(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok().body(MORE_THAN_BUFFERS));
    Reply reply = kit.execute(client, Call.get(uri));
    long sent = Bounds.settled(kit.seen(uri)::sentBytes);
    assertTrue(sent < BUFFERS, "the server could send " + sent + " bytes that nobody read");
    kit.assertWhole(reply, 200, MORE_THAN_BUFFERS);
  }

  @Rule("EX-23")
  default void slowServerHoldsTheWriterBack(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok().take(1000));
    AtomicLong written = new AtomicLong();
    InputStream counted =
        new FilterInputStream(Contents.stream(MORE_THAN_BUFFERS)) {
          @Override
          public int read(byte[] b, int off, int len) throws IOException {
            int n = super.read(b, off, len);
            written.addAndGet(Math.max(0, n));
            return n;
          }
        };
    Body body = new Body.Stream(counted, -1);
    Caller<Integer> caller =
        kit.call(
            () -> {
              try (Reply reply = kit.execute(client, Call.post(uri, body))) {
                return reply.status();
              }
            });
    Seen seen = kit.seen(uri);
    long held = Bounds.settled(written::get);
    assertTrue(held < BUFFERS, "the client took " + held + " bytes that nobody read");
    seen.readOn();
    assertEquals(200, caller.result(Bounds.LONG.multipliedBy(4)));
    assertBody(seen, MORE_THAN_BUFFERS);
  }

  @Rule(value = "EX-24", limit = 120)
  default void largeResponseInSmallHeap(Kit kit) throws Exception {
    URI uri = kit.uri(Script.ok().body(LargeBody.length(kit.wire())));
    kit.otherJvm().run(kit, LargeBody.class, LargeBody.Way.DOWN, uri);
    assertEquals(LargeBody.length(kit.wire()), kit.seen(uri).sentBytes());
  }

  @Rule(value = "EX-25", limit = 120)
  default void largeRequestInSmallHeap(Kit kit) throws Exception {
    URI uri = kit.uri(Script.ok());
    kit.otherJvm().run(kit, LargeBody.class, LargeBody.Way.UP, uri);
    assertBody(kit.seen(uri), LargeBody.length(kit.wire()));
  }

  @Rule(value = "EX-26", limit = 120)
  default void tenThousandCallers(Kit kit) throws Exception {
    Duration patient = Bounds.patient(Duration.ofMinutes(1));
    ClientSettings.Builder settings = kit.settings().maxConnections(100);
    Client client = kit.open(settings.leaseTimeout(patient).readTimeout(patient));
    Script script = Script.ok().body(100).delay(Duration.ofMillis(20));
    List<Caller<Integer>> callers = new ArrayList<>();
    int count = kit.wire().isTls() ? 2_000 : 10_000; // over TLS fewer, as they take longer
    for (int i = 0; i < count; i++) {
      URI uri = kit.uri(script);
      callers.add(
          kit.call(
              () -> {
                kit.assertWhole(kit.execute(client, Call.get(uri)), 200, 100);
                return kit.server().seen(uri).size();
              }));
    }
    for (Caller<Integer> each : callers) {
      assertEquals(1, each.result(patient), "times sent");
    }
  }

  @Rule("EX-27")
  default void platformThreads(Kit kit) throws Exception {
    Client client = kit.open();
    Caller<Void> caller =
        kit.call(
            Thread.ofPlatform(),
            () -> {
              kit.assertWorks(client);
              URI uri = kit.uri(Script.ok().body(100_000));
              Body body = new Body.Writer(Contents.writer(100_000));
              kit.assertWhole(kit.execute(client, Call.post(uri, body)), 200, 100_000);
              assertBody(kit.seen(uri), 100_000);
              kit.assertWhole(kit.get(client, Script.ok().body(1_000_000)), 200, 1_000_000);
              return null;
            });
    caller.result(Bounds.LONG);
  }

  @Rule("EX-28")
  default void oneConnectionForCallsInTurn(Kit kit) throws Exception {
    Client client = kit.open();
    int before = kit.server().connectionsAccepted();
    for (int i = 0; i < 1100; i++) { // Jetty queues 1,024: one that is never out of it is missed
      kit.assertWorks(client);
    }
    assertEquals(1, kit.server().connectionsAccepted() - before, "connections");
  }

  @Rule("EX-29")
  default void noMoreConnectionsThanAllowed(Kit kit) throws Exception {
    Client client = kit.open(kit.settings().maxConnections(3));
    int before = kit.server().connectionsAccepted();
    List<Caller<Void>> callers = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      URI uri = kit.uri(Script.ok().body(100).delay(Duration.ofMillis(20)));
      callers.add(
          kit.call(
              () -> {
                kit.assertWhole(kit.execute(client, Call.get(uri)), 200, 100);
                return null;
              }));
    }
    for (Caller<Void> each : callers) {
      each.result(Bounds.LONG);
    }
    int connections = kit.server().connectionsAccepted() - before;
    assertTrue(connections <= 3, connections + " connections, where 3 are allowed");
  }

  @Rule("EX-30")
  default void earlyAnswerThatEndsAfterTheRequest(Kit kit) throws Exception {
    Client client = kit.open(kit.settings().readTimeout(READ_TIMEOUT));
    byte[] bytes = Contents.first(8 * 1024 * 1024);
    List<Body> bodies =
        List.of(
            new Body.Bytes(bytes),
            new Body.Stream(new ByteArrayInputStream(bytes), bytes.length),
            new Body.Writer(out -> out.write(bytes)));
    for (Body body : bodies) {
      URI uri = kit.uri(Script.answer(413).body(100).around());
      kit.assertWhole(kit.execute(client, Call.post(uri, body)), 413, 100);
      assertBody(kit.seen(uri), bytes.length);
      kit.assertWorks(client);
    }
  }

  private static void assertBody(Seen seen, long length) {
    assertTrue(seen.isBodyComplete(), "the body has not come to its end");
    assertEquals(length, seen.bodyBytes());
    assertEquals(Contents.checksum(length), seen.bodyChecksum());
  }
}
