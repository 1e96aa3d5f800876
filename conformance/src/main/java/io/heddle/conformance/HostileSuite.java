package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;

/**
 * Calls of servers that mean harm, from a client of one adapter on each of its wires. Not among the
 * rules: most of what is looked at here is the library's own, and {@code docs/hostile-servers.md}
 * says what it does. An adapter's {@code <Lib>HostileTest} makes the quick ones, in each build; its
 * {@code <Lib>Hostile} makes all, and is run by its name. What a library does not keep is a {@link
 * Deviation} by the wire and the name of the case.
 */
public abstract class HostileSuite {

  private static final String SECRET = SeeingInsideRules.SECRET;

  /** A system property: makes each call in a JVM of its own, and prints how it ends. */
  private static final String TELL = "heddle.hostile.tell";

  /** More redirects than any library follows. */
  private static final int REDIRECTS = 60;

  /** Which cases run. */
  protected enum Extent {
    /** Those that need neither minutes nor the whole heap of a JVM. */
    QUICK,
    ALL
  }

  private final ClientDriver driver;
  private final Extent extent;
  private final List<Wire> wires;

  protected HostileSuite(ClientDriver driver, Extent extent, Wire... wires) {
    this.driver = driver;
    this.extent = extent;
    this.wires = List.of(wires);
  }

  /** What a server does. */
  @SuppressWarnings("ImmutableEnumChecker") // methods
  private enum Case {
    ANSWERS_WITHOUT_AN_END(Extent.ALL, HostileSuite::answersWithoutAnEnd),
    CHUNKS_WITHOUT_AN_END(Extent.ALL, HostileSuite::chunksWithoutAnEnd),
    BODY_THAT_GROWS(Extent.ALL, HostileSuite::bodyThatGrows),
    ANSWERS_THAT_CANNOT_BE(HostileSuite::answersThatCannotBe),
    FIELD_THAT_COMES_AS_TWO(HostileSuite::fieldThatComesAsTwo),
    REDIRECTS_WITHOUT_AN_END(HostileSuite::redirectsWithoutAnEnd),
    REDIRECTS_TO_OTHER_SCHEMES(HostileSuite::redirectsToOtherSchemes),
    CREDENTIALS_OF_ANOTHER_ORIGIN(HostileSuite::credentialsOfAnotherOrigin),
    FIELD_THAT_IS_TWO(HostileSuite::fieldThatIsTwo),
    SECRETS_IN_WORDS(HostileSuite::secretsInWords);

    private final Extent extent;
    private final Check check;

    Case(Check check) {
      this(Extent.QUICK, check);
    }

    Case(Extent extent, Check check) {
      this.extent = extent;
      this.check = check;
    }

    boolean isFor(Extent asked, Wire wire) {
      return extent.compareTo(asked) <= 0
          && (this != CHUNKS_WITHOUT_AN_END || !wire.isMultiplexed());
    }
  }

  private interface Check {
    void run(Kit kit) throws Exception;
  }

  @TestFactory
  Stream<DynamicTest> hostile() {
    List<DynamicTest> tests = new ArrayList<>();
    for (Wire wire : wires) {
      for (Case each : Case.values()) {
        if (each.isFor(extent, wire)) {
          String name = wire + " " + each;
          tests.add(DynamicTest.dynamicTest(name, () -> judge(name, wire, each)));
        }
      }
    }
    for (Deviation each : RuleExtension.deviations(getClass())) {
      Kit.check(
          tests.stream().anyMatch(test -> test.getDisplayName().equals(each.rule())),
          each.rule() + " is no case of this suite, which deviates from it");
    }
    return tests.stream();
  }

  private void judge(String name, Wire wire, Case each) throws Throwable {
    @Nullable Throwable failure = null;
    try {
      run(driver, wire, each.name());
    } catch (Exception | Error e) {
      failure = e;
    }
    RuleExtension.judge(name, failure, getClass());
  }

  /** Runs one of the cases, with a server and a JVM of its own. */
  static void run(ClientDriver driver, Wire wire, String name) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        OtherJvm otherJvm = new OtherJvm(driver, wire)) {
      Kit kit = new Kit(driver, wire, server, otherJvm);
      @Nullable Throwable broken = null;
      try {
        Case.valueOf(name).check.run(kit);
      } catch (Exception | Error e) {
        broken = e;
        throw e;
      } finally {
        kit.end(broken);
      }
    }
  }

  private static void answersWithoutAnEnd(Kit kit) throws Exception {
    assertHarmless(kit, Hostility.of(kit.wire(), true), true);
  }

  private static void chunksWithoutAnEnd(Kit kit) throws Exception {
    assertHarmless(kit, Hostility.endlessChunks(), true);
  }

  private static void bodyThatGrows(Kit kit) throws Exception {
    assertHarmless(kit, List.of(Hostility.growing(kit.wire())), false);
  }

  private static void answersThatCannotBe(Kit kit) throws Exception {
    assertHarmless(kit, Hostility.of(kit.wire(), false), false);
  }

  private static void fieldThatComesAsTwo(Kit kit) throws Exception {
    Client client = kit.open();
    Hostility split = Hostility.split(kit.wire());
    URI uri = kit.closing(new HostileServer(kit.wire(), split)).uri();
    Caller<List<String>> caller =
        kit.call(
            () -> {
              try (Reply reply = kit.execute(client, Call.get(uri))) {
                @Nullable String injected = reply.header("X-Injected");
                return injected == null ? List.of() : List.of(injected);
              }
            });
    Bounds.await(Bounds.LONG, "the call ends", caller::isDone);
    if (Boolean.getBoolean(TELL)) {
      say(
          kit,
          split
              + ": "
              + (caller.hasFailed()
                  ? caller.failure(Bounds.PROMPT)
                  : caller.result(Bounds.PROMPT)));
    }
    if (!caller.hasFailed()) {
      List<String> injected = caller.result(Bounds.PROMPT);
      assertEquals(List.of(), injected, "a field that was in another's value");
    }
    kit.assertWorks(client);
  }

  private static void redirectsWithoutAnEnd(Kit kit) throws Exception {
    Client client = kit.open(kit.settings().followRedirects());
    URI uri = kit.uri(Script.answer(302).toItself());
    assertNotFollowed(kit, client, uri);
    int requests = kit.server().seen(uri).size();
    assertTrue(requests <= REDIRECTS, requests + " requests");
    kit.assertWorks(client);
  }

  private static void redirectsToOtherSchemes(Kit kit) throws Exception {
    Client client = kit.open(kit.settings().followRedirects());
    for (String each :
        List.of("file:///etc/hostname", "ftp://127.0.0.1/x", "data:,x", "javascript:x", "//")) {
      URI uri = kit.uri(Script.answer(302).header("Location", each));
      assertNotFollowed(kit, client, uri);
      assertEquals(1, kit.server().seen(uri).size(), "requests, redirected to " + each);
    }
    kit.assertWorks(client);
  }

  private static void credentialsOfAnotherOrigin(Kit kit) throws Exception {
    FaultServer other = kit.server(Certificates.RIGHT, 100);
    Client client =
        kit.open(kit.settings().followRedirects().cookies().credentials("penelope", "ithaca"));
    // What it knows of the one is not for the other.
    Script challenge = Script.ok().body(100).requires("penelope", "ithaca");
    kit.assertWhole(kit.get(client, challenge), 200, 100);
    URI target = other.uri("localhost", Script.ok().body(100));
    Script redirect = Script.answer(302).header("Location", target.toString());
    kit.assertWhole(kit.get(client, redirect.requires("penelope", "ithaca")), 200, 100);
    assertNull(kit.seen(other, target).header("Authorization"), "credentials of another origin");
    kit.assertWhole(kit.get(client, redirect.header("Set-Cookie", "warp=weft; Path=/")), 200, 100);
    // Nor what the caller itself has set; some libraries do not follow such a redirect at all.
    Call.Builder own = Call.get(kit.uri(redirect)).header("Authorization", "Basic d2FycA==");
    Caller<Integer> caller =
        kit.call(
            () -> {
              try (Reply reply = kit.execute(client, own)) {
                return reply.status();
              }
            });
    Bounds.await(Bounds.LONG, "the call ends", caller::isDone);
    for (Seen each : other.seen(target)) {
      assertNull(each.header("Authorization"), "credentials of another origin");
      assertNull(each.header("Cookie"), "a cookie of another origin");
    }
  }

  private static void fieldThatIsTwo(Kit kit) throws Exception {
    Client client = kit.open();
    for (String each :
        List.of("a\r\nX-Injected: yes", "a\nX-Injected: yes", "a\r\n\r\nGET / HTTP/1.1")) {
      URI uri = kit.uri(Script.ok().body(100));
      Caller<Integer> caller =
          kit.call(
              () -> {
                try (Reply reply = kit.execute(client, Call.get(uri).header("X-Bad", each))) {
                  return reply.status();
                }
              });
      Bounds.await(Bounds.LONG, "the call ends", caller::isDone);
      for (Seen seen : kit.server().seen(uri)) {
        assertNull(seen.header("X-Injected"), "a field that was in another's value");
      }
    }
    kit.assertWorks(client);
  }

  /**
   * Neither a failure, nor what the client says of itself, nor a log, nor an event has what came in
   * a header, a query, the credentials, or a URI's user: they end up where others read.
   */
  private static void secretsInWords(Kit kit) throws Exception {
    try (Logged logged = Logged.start();
        RecordedCalls recorded = RecordedCalls.start()) {
      Client client = kit.open(kit.settings().credentials("penelope", SECRET));
      kit.assertWhole(
          kit.get(client, Script.ok().body(100).requires("penelope", SECRET)), 200, 100);
      for (String user : List.of("", "penelope:" + SECRET + "@")) {
        for (Script.Fault fault : List.of(Script.Fault.RESET, Script.Fault.CLOSE)) {
          URI uri = as(user, kit.uri(Script.ok().header("x-" + SECRET, SECRET).fault(fault)));
          Call.Builder call = Call.post(uri, new Body.Bytes(new byte[10]));
          assertKept(
              kit.call(() -> kit.execute(client, call.header("Authorization", SECRET)).status())
                  .failure(Bounds.LONG));
        }
        assertKept(client.describe());
        for (Standstill place : Standstill.values()) {
          if (place != Standstill.HANDSHAKE || kit.wire().isTls()) {
            assertKept(kit, place, user);
          }
        }
      }
      kit.assertWorks(client);
      logged.lines().forEach(HostileSuite::assertKept);
      recorded.all().forEach(each -> assertKept(each.toString()));
    }
  }

  /**
   * Of a call that stands here: what is said of it, and how it ends. A library may refuse a URI
   * with a user: then it ends at once.
   */
  private static void assertKept(Kit kit, Standstill place, String user) throws Exception {
    Standing call =
        new Standing(kit, place)
            .spelt(uri -> as(user, uri))
            .settings(client -> client.leaseTimeout(DeadlineRules.TIME))
            .options(
                each ->
                    each.header("Authorization", SECRET)
                        .deadline(DeadlineRules.TIME.multipliedBy(2)))
            .start();
    assertTrue(!user.isEmpty() || !call.caller().isDone(), () -> place + ": over at once");
    assertKept(call.client().describe());
    assertKept(call.caller().failure(Bounds.LONG));
    call.free();
  }

  private static URI as(String user, URI uri) {
    return URI.create(uri.toString().replaceFirst("://", "://" + user));
  }

  /** With the causes and what is suppressed. */
  private static void assertKept(Throwable failure) {
    assertKept(Soak.Round.trace(failure));
  }

  private static void assertKept(String said) {
    assertFalse(said.contains(SECRET), () -> "a secret: " + said);
  }

  /** It ends, and not with what the redirect points to. */
  private static void assertNotFollowed(Kit kit, Client client, URI uri) {
    Caller<Integer> caller =
        kit.call(
            () -> {
              try (Reply reply = kit.execute(client, Call.get(uri))) {
                return reply.status();
              }
            });
    Bounds.await(Bounds.LONG, "the call ends", caller::isDone);
    if (!caller.hasFailed()) {
      assertEquals(302, caller.result(Bounds.PROMPT), "status");
    }
    if (Boolean.getBoolean(TELL)) {
      say(
          kit,
          "redirect: "
              + (caller.hasFailed() ? caller.failure(Bounds.PROMPT) : "status 302")
              + ", "
              + kit.server().seen(uri).size()
              + " requests");
    }
  }

  /** The other JVM, with its small heap, survives them all, and its client goes on working. */
  private static void assertHarmless(Kit kit, List<Hostility> hostilities, boolean mustFail)
      throws Exception {
    if (!Boolean.getBoolean(TELL)) {
      String unused = harm(kit, hostilities, mustFail);
      return;
    }
    List<Executable> each =
        hostilities.stream()
            .map(hostility -> (Executable) () -> tell(kit, hostility, mustFail))
            .toList();
    assertAll(each); // the next runs although one has failed
  }

  private static void tell(Kit kit, Hostility hostility, boolean mustFail) throws Exception {
    String said = "";
    try {
      said = harm(kit, List.of(hostility), mustFail);
    } catch (AssertionError e) {
      said = hostility + ": " + e.getMessage();
      throw e;
    } finally {
      kit.otherJvm().close();
      said.lines().forEach(line -> say(kit, line));
    }
  }

  private static void say(Kit kit, String line) {
    System.out.println(kit.driver().getClass().getSimpleName() + " " + kit.wire() + " " + line);
  }

  private static String harm(Kit kit, List<Hostility> hostilities, boolean mustFail)
      throws Exception {
    List<Object> args = new ArrayList<>();
    args.add(mustFail);
    args.add(kit.uri(Script.ok().body(100)));
    for (Hostility each : hostilities) {
      args.add(each + "=" + kit.closing(new HostileServer(kit.wire(), each)).uri());
    }
    return kit.otherJvm().run(kit, HostileCalls.class, args.toArray());
  }
}
