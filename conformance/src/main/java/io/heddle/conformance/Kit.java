package io.heddle.conformance;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * What one rule works with. It remembers what it opened, and {@link #end} looks at what is left.
 */
final class Kit {

  private final ClientDriver driver;
  private final Wire wire;
  private final FaultServer server;
  private final OtherJvm otherJvm;
  private final List<AutoCloseable> open = new ArrayList<>();
  private final List<FaultServer> servers = new ArrayList<>();
  private final List<Client> clients = new ArrayList<>();
  private final List<Caller<?>> callers = new ArrayList<>();

  Kit(ClientDriver driver, Wire wire, FaultServer server, OtherJvm otherJvm) {
    this.driver = driver;
    this.wire = wire;
    this.server = server;
    this.otherJvm = otherJvm;
    servers.add(server);
    server.takeMalformed(); // of another rule, which could not wait for it
  }

  ClientDriver driver() {
    return driver;
  }

  Wire wire() {
    return wire;
  }

  /** The server that all rules of a suite share. */
  FaultServer server() {
    return server;
  }

  /** The JVM that rules of a suite share which need one of their own. */
  OtherJvm otherJvm() {
    return otherJvm;
  }

  /** A server of the rule's own, with a certificate and a number of streams of its own. */
  FaultServer server(Certificates certificate, int maxStreams) {
    FaultServer started = closing(FaultServer.start(wire, certificate, maxStreams));
    servers.add(started);
    return started;
  }

  /** Closes this after the rule. */
  <T extends AutoCloseable> T closing(T resource) {
    open.add(resource);
    return resource;
  }

  // ---- clients and calls ----------------------------------------------------------------------

  /** Settings that trust the server. */
  ClientSettings.Builder settings() {
    return ClientSettings.of(wire).trust(wire.isTls() ? Certificates.RIGHT.certificate() : null);
  }

  Client open() throws Exception {
    return open(settings());
  }

  Client open(ClientSettings.Builder settings) throws Exception {
    Client client = driver.open(settings.build());
    clients.add(client);
    return client;
  }

  URI uri(Script script) {
    return server.uri(script);
  }

  Reply execute(Client client, Call.Builder call) throws Exception {
    return client.prepare(call.build()).execute();
  }

  Reply get(Client client, Script script) throws Exception {
    return execute(client, Call.get(uri(script)));
  }

  /** A caller on a virtual thread, started. */
  <T extends @Nullable Object> Caller<T> call(Callable<T> work) {
    return call(Thread.ofVirtual(), work);
  }

  <T extends @Nullable Object> Caller<T> call(Thread.Builder kind, Callable<T> work) {
    Caller<T> caller = new Caller<>(kind, work);
    callers.add(caller);
    return caller.start();
  }

  // ---- what must be seen ----------------------------------------------------------------------

  /** The one request for this URI, once the server has seen its head. */
  Seen seen(URI uri) {
    return seen(server, uri);
  }

  Seen seen(FaultServer server, URI uri) {
    Bounds.await(
        Bounds.LONG, "the server sees a request for " + uri, () -> !server.seen(uri).isEmpty());
    List<Seen> all = server.seen(uri);
    if (all.size() > 1) {
      throw new AssertionError("the request was sent " + all.size() + " times");
    }
    return all.get(0);
  }

  /** Reads a reply to its end, checks its status and each byte, and closes it. */
  void assertWhole(Reply reply, int status, long length) throws IOException {
    try (reply) {
      check(reply.status() == status, "status " + reply.status() + ", not " + status);
      long n = Contents.check(reply.body());
      check(n == length, n + " bytes, not " + length);
    }
  }

  /** The client can still, or again, make a call. */
  void assertWorks(Client client) throws Exception {
    assertWorks(client, server);
  }

  void assertWorks(Client client, FaultServer server) throws Exception {
    assertWhole(execute(client, Call.get(server.uri(Script.ok().body(100)))), 200, 100);
  }

  /** No connection or stream is leased, or will be none in a moment. */
  void assertIdle(Client client) {
    assertLeases(client, 0);
  }

  void assertLeases(Client client, int leases) {
    if (!Bounds.holds(Bounds.RELEASE, () -> client.leases() == leases)) {
      throw new AssertionError("leases: " + client.leases() + ", not " + leases);
    }
  }

  /** Closing it takes its time, but not for ever. */
  void assertCloses(Client client) {
    Caller<Void> closer =
        call(
            () -> {
              client.close();
              return null;
            });
    closer.result(Bounds.LONG);
  }

  /** The failure is what the library's synchronous interface has for this kind. */
  void assertExpected(Failure kind, Throwable thrown) {
    assertExpected(List.of(kind), thrown);
  }

  /** The failure is what the library's synchronous interface has for one of these kinds. */
  void assertExpected(List<Failure> kinds, Throwable thrown) {
    if (thrown instanceof AssertionError
        || kinds.stream().noneMatch(kind -> driver.isExpected(kind, thrown))) {
      throw new AssertionError("not how " + kinds + " is reported: " + thrown, thrown);
    }
  }

  static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  // ---- after the rule -------------------------------------------------------------------------

  /**
   * Closes everything.
   *
   * @param broken what the rule failed with, so that what is left is its consequence; null if it
   *     holds
   * @throws AssertionError if the rule holds but has left a lease or a caller behind
   */
  void end(@Nullable Throwable broken) throws Exception {
    List<String> left = new ArrayList<>();
    for (Client each : clients) {
      if (broken == null && !Bounds.holds(Bounds.RELEASE, () -> each.leases() == 0)) {
        left.add("leases: " + each.leases());
      }
    }
    List<String> malformed = new ArrayList<>();
    servers.forEach(each -> malformed.addAll(each.takeMalformed()));
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
    for (Client each : clients) {
      assertCloses(each);
    }
    server.readOn();
    for (Caller<?> each : callers) {
      if (!Bounds.holds(Bounds.PROMPT, each::isDone)) {
        left.add("a caller, in " + List.of(each.thread().getStackTrace()));
        each.thread().interrupt();
      }
    }
    if (broken == null && !malformed.isEmpty()) {
      throw new AssertionError("no request that can be: " + malformed);
    }
    if (broken == null && !left.isEmpty()) {
      throw new AssertionError("left behind: " + String.join(", ", left));
    }
  }

  /** A directory or file of the kit's that must be there. */
  static <T> T present(@Nullable T it, String what) {
    return Objects.requireNonNull(it, what);
  }
}
