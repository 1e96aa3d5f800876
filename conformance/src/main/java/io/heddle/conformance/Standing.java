package io.heddle.conformance;

import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A call that stands still in a given place, and will stand there until something ends it: what
 * that is, and what must be seen then, is up to the rule.
 */
final class Standing {

  /** How many bytes have been sent or read where a call stands in a body. */
  static final int READ = 1000;

  private static final int BODY = 10_000;

  /** A library may note on a thread of its own what SETTINGS say: OkHttp does. */
  private static final Duration NOTED = Bounds.patient(Duration.ofMillis(50));

  private static final String SLOW_HOST = "slow.heddle.test";

  private final Kit kit;
  private final Standstill place;
  private final FaultServer server;

  // Set up by the rule.
  private ClientSettings.Builder settings;
  private @Nullable Body body;
  private UnaryOperator<Call.Builder> options = call -> call;
  private UnaryOperator<URI> spelling = its -> its;
  private Thread.Builder kind = Thread.ofVirtual();

  // What stands in the way, by place.
  private final CountDownLatch lookupBegun = new CountDownLatch(1);
  private final CountDownLatch lookupMayEnd = new CountDownLatch(1);
  private @Nullable MutePort mute;
  private @Nullable Seen held;
  private @Nullable Caller<Void> holder;

  private @Nullable Client client;
  private @Nullable URI uri;
  private @Nullable PreparedCall call;
  private @Nullable Caller<Integer> caller;
  private long startedAt;

  // Written by the caller.
  private final AtomicLong read = new AtomicLong();

  Standing(Kit kit, Standstill place) {
    this.kit = kit;
    this.place = place;
    boolean streams = place == Standstill.LEASE && kit.wire().isMultiplexed();
    this.server = streams ? kit.server(Certificates.RIGHT, 1) : kit.server();
    this.settings = kit.settings();
  }

  Standing settings(UnaryOperator<ClientSettings.Builder> change) {
    settings = change.apply(settings);
    return this;
  }

  Standing options(UnaryOperator<Call.Builder> change) {
    options = change;
    return this;
  }

  /** Posts this body; who waits for the head waits for it once the server has the whole of that. */
  Standing posts(Body posted) {
    body = posted;
    return this;
  }

  /** Asks for the URI as this spells it. */
  Standing spelt(UnaryOperator<URI> change) {
    spelling = change;
    return this;
  }

  Standing on(Thread.Builder thread) {
    kind = thread;
    return this;
  }

  // ---- getting there --------------------------------------------------------------------------

  /** Opens a client, makes the call, and returns when it stands still. */
  Standing start() throws Exception {
    if (place == Standstill.LOOKUP) {
      settings.lookup(this::slowLookup);
      kit.closing(lookupMayEnd::countDown); // in case the rule fails
    }
    if (place == Standstill.LEASE) {
      settings.maxConnections(1);
    }
    return start(kit.open(settings));
  }

  /** Makes the call with this client. */
  Standing start(Client open) throws Exception {
    client = open;
    if (place == Standstill.LEASE) {
      takeTheOnlyLease(open);
    }
    URI target = spelling.apply(target());
    uri = target;
    PreparedCall prepared = open.prepare(options.apply(call(target)).build());
    call = prepared;
    startedAt = System.nanoTime();
    caller = kit.call(kind, () -> run(prepared));
    awaitStill();
    return this;
  }

  private URI target() throws Exception {
    Script script = Script.ok().body(BODY);
    return switch (place) {
      case LEASE -> server.uri(script);
      case LOOKUP -> server.uri(SLOW_HOST, script);
      case CONNECT -> at(kit.closing(new DeafPort()).port());
      case HANDSHAKE -> {
        MutePort port = kit.closing(new MutePort());
        mute = port;
        yield at(port.port());
      }
      case EXPECTATION -> server.uri(script.expect(Script.Expect.IGNORE).fault(Script.Fault.STALL));
      case UPLOAD -> server.uri(script.take(READ));
      case HEAD -> server.uri(script.fault(Script.Fault.STALL));
      case BODY -> server.uri(script.fault(Script.Fault.STALL, READ));
    };
  }

  private URI at(int port) {
    return URI.create(kit.wire().scheme() + "://127.0.0.1:" + port + "/");
  }

  private Call.Builder call(URI target) {
    if (place == Standstill.UPLOAD) {
      return Call.post(target, new Body.Writer(Contents.endless()));
    }
    if (place == Standstill.EXPECTATION) {
      return Call.post(target, new Body.Bytes(Contents.first(BODY))).expectContinue();
    }
    return body == null ? Call.get(target) : Call.post(target, body);
  }

  private int run(PreparedCall prepared) throws Exception {
    try (Reply reply = prepared.execute()) {
      byte[] buffer = new byte[BODY];
      for (int n = reply.body().read(buffer); n >= 0; n = reply.body().read(buffer)) {
        read.addAndGet(n);
      }
      return reply.status();
    }
  }

  private List<InetAddress> slowLookup(String host) {
    if (host.equals(SLOW_HOST)) {
      lookupBegun.countDown();
      awaitUninterruptibly(lookupMayEnd); // as the native call does
    }
    return List.of(InetAddress.getLoopbackAddress());
  }

  private void takeTheOnlyLease(Client open) throws Exception {
    kit.assertWorks(open, server); // and learns how many streams there may be
    if (kit.wire().isMultiplexed()) {
      Thread.sleep(NOTED);
    }
    URI target = server.uri(Script.ok().fault(Script.Fault.STALL));
    holder =
        kit.call(
            () -> {
              kit.assertWhole(kit.execute(open, Call.get(target)), 200, 0);
              return null;
            });
    Seen seen = kit.seen(server, target);
    Bounds.await(Bounds.LONG, "the holder of the lease stands still", seen::isStalled);
    held = seen;
  }

  private void awaitStill() throws Exception {
    Caller<Integer> waiting = caller();
    switch (place) {
      case LOOKUP ->
          Bounds.await(
              Bounds.LONG, "the name is looked up", () -> lookupBegun.getCount() == 0 || isOver());
      case HANDSHAKE -> {
        MutePort port = Kit.present(mute, "port");
        Bounds.await(Bounds.LONG, "a handshake begins", () -> port.isSpokenTo() || isOver());
      }
      case EXPECTATION ->
          Bounds.await(
              Bounds.LONG, "the server is asked", () -> !server.seen(uri()).isEmpty() || isOver());
      case UPLOAD ->
          Bounds.await(Bounds.LONG, "an upload begins", () -> bytesReceived() >= READ || isOver());
      case HEAD ->
          Bounds.await(Bounds.LONG, "the server stalls", () -> isServerStalled() || isOver());
      case BODY ->
          Bounds.await(
              Bounds.LONG,
              "some of the body is read",
              () -> (isServerStalled() && read.get() == READ) || isOver());
      default -> {}
    }
    waiting.awaitWaiting();
  }

  private boolean isOver() {
    return caller().isDone();
  }

  private boolean isServerStalled() {
    return server.seen(uri()).stream().anyMatch(Seen::isStalled);
  }

  private long bytesReceived() {
    return server.seen(uri()).stream().mapToLong(Seen::bodyBytes).sum();
  }

  // ---- the end --------------------------------------------------------------------------------

  Client client() {
    return Kit.present(client, "client");
  }

  PreparedCall call() {
    return Kit.present(call, "call");
  }

  Caller<Integer> caller() {
    return Kit.present(caller, "caller");
  }

  URI uri() {
    return Kit.present(uri, "uri");
  }

  /** The call ends at once, with what the driver expects for this kind. */
  Throwable assertEnds(Failure kind) {
    Throwable failure = caller().failure(Bounds.PROMPT);
    assertExpected(kind, failure);
    return failure;
  }

  /** The call ends by itself after this time, neither much later nor earlier. */
  Throwable assertEndsAfter(Duration time, Failure kind) {
    Throwable failure = caller().failure(time.plus(Bounds.PROMPT));
    Duration took = Duration.ofNanos(caller().endedAt() - startedAt);
    // An engine may count in coarse ticks of its own.
    Kit.check(took.compareTo(time.minusMillis(50)) >= 0, "ended too early, after " + took);
    Kit.check(took.compareTo(time.plus(Bounds.PROMPT)) <= 0, "ended too late, after " + took);
    assertExpected(kind, failure);
    return failure;
  }

  /** And whoever was not interrupted has no flag set, at which what he does next would fail. */
  private void assertExpected(Failure kind, Throwable failure) {
    kit.assertExpected(kind, failure);
    Kit.check(
        kind == Failure.INTERRUPTED || !caller().isInterruptedAtEnd(),
        "the flag of a thread that nobody has interrupted is set, after " + failure);
  }

  /**
   * The call has left nothing: its lease is over, the server has seen it go, or has never seen it,
   * and the client makes the next call as if nothing had been.
   */
  void assertAbandoned() throws Exception {
    kit.assertLeases(client(), place == Standstill.LEASE ? 1 : 0);
    assertSeenToLeave();
    free();
    kit.assertWorks(client(), server);
    int sent = server.seen(uri()).size();
    boolean reachedServer = place.compareTo(Standstill.EXPECTATION) >= 0;
    Kit.check(sent == (reachedServer ? 1 : 0), "requests that reached the server: " + sent);
    kit.assertIdle(client());
  }

  /** The client is closed: the call has ended, and so has the one that had the lease. */
  void assertClosed() {
    assertEnds(Failure.CLOSED);
    lookupMayEnd.countDown();
    if (holder != null) {
      kit.assertExpected(Failure.CLOSED, holder.failure(Bounds.PROMPT));
    }
    assertSeenToLeave();
  }

  /** The server sees the client leave, without anybody telling it. */
  void assertSeenToLeave() {
    if (place == Standstill.HANDSHAKE) {
      MutePort port = Kit.present(mute, "port");
      Bounds.await(Bounds.PROMPT, "the client leaves the handshake", port::isLeft);
    } else if (place.compareTo(Standstill.EXPECTATION) >= 0) {
      Seen seen = kit.seen(server, uri());
      if (place.compareTo(Standstill.UPLOAD) <= 0) {
        seen.readOn();
        seen.assertCutShort();
        Kit.check(!seen.isBodyWithoutContinue(), "some of the body came, which nobody wanted");
      } else {
        seen.assertAborted();
      }
    }
  }

  /** Lets those go on that stood in the way; none of them has come to harm. */
  void free() {
    lookupMayEnd.countDown();
    if (held != null && holder != null) {
      held.release();
      holder.result(Bounds.LONG);
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          latch.await();
          return;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
