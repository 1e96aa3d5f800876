package io.heddle.bench.load;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** A report says what the JVMs ran with. */
class JvmTest {

  @Test
  void flagsAreThoseThatWereGivenAndThoseThatItChose() {
    String flags = Jvm.flags();

    for (String given : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      assertTrue(flags.contains(given), () -> given + " in " + flags);
    }
    assertTrue(flags.contains("-XX:MaxHeapSize="), flags);
  }
}
