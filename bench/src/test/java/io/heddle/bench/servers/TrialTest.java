package io.heddle.bench.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.servers.RealServer.Product;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The servers that are installed here start, serve and end, and their refusals are counted. */
@Timeout(600) // a busy machine may take minutes to compile the Go server
class TrialTest {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static Contestant okHttp(Wire wire) {
    return heddle(Library.OKHTTP, wire);
  }

  private static Contestant heddle(Library library, Wire wire) {
    return library.all().stream()
        .filter(each -> each.mode() == Mode.HEDDLE && each.wire() == wire)
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @EnumSource(Product.class)
  void eachServes(Product product) throws Exception {
    assumeTrue(product.isInstalled(), product + " is not installed");
    try (RealServer server = RealServer.start(product)) {
      for (Wire wire : Wire.values()) {
        assertTrue(Trial.UPLOADS.isFor(product, server, wire), wire::toString);
        Trial.Outcome outcome = Trial.UPLOADS.run(okHttp(wire), server, 1, PATIENCE);
        assertEquals(Map.of(), outcome.failures());
        assertEquals(40, outcome.calls());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Library.class)
  void eachGoesThroughTheProxy(Library library) throws Exception {
    assumeTrue(Product.SQUID.isInstalled(), "squid is not installed");
    try (RealServer server = RealServer.start(Product.SQUID)) {
      for (Wire wire : Wire.values()) {
        Trial.Outcome outcome = Trial.FORBIDDEN.run(heddle(library, wire), server);
        assertEquals(Map.of(), outcome.failures(), wire::toString);
      }
    }
  }

  @Test
  void failuresAreCounted() throws Exception {
    assumeTrue(Product.NGINX.isInstalled(), "nginx is not installed");
    RealServer server = RealServer.start(Product.NGINX);
    server.close();
    assertEquals(200, Trial.LARGE_BODIES.run(okHttp(Wire.HTTP_1), server).failed());
  }
}
