package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * A redirect leads to another origin, with and without TLS on either side, and the caller has set a
 * field that may be a secret: the server there gets what it gets from the library's own client. Not
 * among the rules: each library has its own way, which {@code docs/hostile-servers.md} tells.
 */
public abstract class RedirectSuite {

  /** What becomes of a field that the caller has set. */
  protected enum End {
    SENT,
    DROPPED,
    NOT_FOLLOWED,
    /** The first server does not get it either. */
    NEVER_SENT
  }

  private static final List<Map.Entry<String, String>> FIELDS =
      List.of(
          Map.entry("Authorization", "Basic d2FycA=="),
          Map.entry("Proxy-Authorization", "Basic d2FycA=="),
          Map.entry("Cookie", "warp=weft"));

  private static final List<Wire> WIRES = List.of(Wire.HTTP_1_1, Wire.HTTP_1_1_TLS);

  private final ClientDriver driver;

  protected RedirectSuite(ClientDriver driver) {
    this.driver = driver;
  }

  /**
   * Makes a GET by the library's own client, which trusts {@link FaultServer#certificate()} and
   * follows redirects, and is otherwise as it comes. Returns the status of the last response.
   */
  protected abstract int stock(URI uri, String field, String value) throws Exception;

  /** What the library's own client does. */
  protected abstract End expected(String field, Wire from, Wire to);

  @TestFactory
  Stream<DynamicTest> redirected() {
    return WIRES.stream().flatMap(from -> WIRES.stream().map(to -> between(from, to)));
  }

  private DynamicTest between(Wire from, Wire to) {
    return DynamicTest.dynamicTest(
        from.scheme() + " to " + to.scheme(),
        () -> {
          try (FaultServer one = FaultServer.start(from);
              FaultServer other = FaultServer.start(to)) {
            for (Map.Entry<String, String> field : FIELDS) {
              End expected = expected(field.getKey(), from, to);
              assertEquals(expected, end(one, other, field, this::stock), field + ", stock");
              assertEquals(expected, end(one, other, field, this::heddle), field + ", Heddle");
            }
          }
        });
  }

  private interface Get {
    int status(URI uri, String field, String value) throws Exception;
  }

  private int heddle(URI uri, String field, String value) throws Exception {
    return get(driver, uri, field, value);
  }

  /** The same by a client of this driver's. */
  static int get(ClientDriver driver, URI uri, String field, String value) throws Exception {
    Wire wire = uri.getScheme().equals("https") ? Wire.HTTP_1_1_TLS : Wire.HTTP_1_1;
    ClientSettings settings =
        ClientSettings.of(wire).trust(FaultServer.certificate()).followRedirects().build();
    try (Client client = driver.open(settings);
        Reply reply = client.prepare(Call.get(uri).header(field, value).build()).execute()) {
      return reply.status();
    }
  }

  private static End end(
      FaultServer one, FaultServer other, Map.Entry<String, String> field, Get get)
      throws Exception {
    URI target = other.uri(Script.ok().body(10));
    URI uri = one.uri(Script.answer(302).header("Location", target.toString()));
    String value = field.getValue();
    int status = get.status(uri, field.getKey(), value);
    @Nullable String given = one.seen(uri).getFirst().header(field.getKey());
    if (given == null) {
      return End.NEVER_SENT;
    }
    assertEquals(value, given, "what the first server has got");
    List<Seen> there = other.seen(target);
    assertEquals(there.isEmpty() ? 302 : 200, status, "status");
    if (there.isEmpty()) {
      return End.NOT_FOLLOWED;
    }
    @Nullable String sent = there.getFirst().header(field.getKey());
    assertTrue(sent == null || sent.equals(value), () -> field + ": " + sent);
    return sent == null ? End.DROPPED : End.SENT;
  }
}
