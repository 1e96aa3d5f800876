package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import io.heddle.core.Waiter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Many virtual threads that call over one HTTP/2 connection, in a JVM of their own. On JDK 21
 * OkHttp's own {@code execute()} comes to a stop, for good: callers in {@code synchronized}, which
 * hold their carriers, queue for the lock of okio's timers behind one whose turn it is, and which
 * has no carrier to take it on.
 */
@Timeout(180)
class StallTest {

  /** A runtime on which {@code synchronized} holds the carrier. */
  private static final boolean PINS = Waiter.MONITORS_HOLD_CARRIERS;

  /**
   * Without a compiler what is done under that lock takes longer, so that callers meet there within
   * seconds, and not now and then.
   */
  private static final List<String> INTERPRETED = List.of("-Xint");

  private static final int TRIES = 3;

  /** The kit's property: on a busy machine what goes on may stand still for a while. */
  static final String PATIENCE = "heddle.conformance.patience";

  private static String run(List<String> options, Object... args) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.add("-D" + PATIENCE + "=" + Integer.getInteger(PATIENCE, 1));
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(ManyCalls.class.getName());
    for (Object each : args) {
      command.add(each.toString());
    }
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      byte[] said = process.getInputStream().readAllBytes();
      assertTrue(process.waitFor(10, TimeUnit.SECONDS));
      return new String(said, StandardCharsets.UTF_8).strip();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void callsOverHttp2ComeToNoStop() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      String uri = server.uri(Script.ok().body(100)).toString();
      assertEquals("goes on", run(PINS ? INTERPRETED : List.of(), "heddle", "loop", uri));
      if (PINS) {
        String stock = "";
        for (int i = 0; i < TRIES && !stock.equals("stalled"); i++) {
          stock = run(INTERPRETED, "stock", "loop", uri);
        }
        assertEquals("stalled", stock);
      }
    }
  }

  @Test
  void waitingForHeadsTakesNoCarriers() throws Exception {
    assertFewCarriers(Script.ok().delay(Duration.ofSeconds(5)));
  }

  @Test
  void waitingForBodiesTakesNoCarriers() throws Exception {
    assertFewCarriers(Script.ok().body(200).drip(100, Duration.ofSeconds(5)));
  }

  private static void assertFewCarriers(Script script) throws Exception {
    for (Wire wire : List.of(Wire.HTTP_1_1, Wire.H2C)) {
      try (FaultServer server = FaultServer.start(wire)) {
        assertEquals(
            "few carriers",
            run(List.of(), "heddle", wire.name(), server.uri(script).toString()),
            wire.name());
      }
    }
  }
}
