package io.heddle.ahc;

import io.heddle.conformance.SoakSuite;
import io.heddle.conformance.Wire;

/** All wires: docs/soak.md. */
class AhcSoakTest extends SoakSuite {
  AhcSoakTest() {
    super(new AhcDriver(), Wire.values());
  }

  /** Netty, where AHC connects on event loops that the client has just closed. */
  @Override
  protected boolean mayLog(String logger) {
    return logger.startsWith("io.netty.util.concurrent.DefaultPromise");
  }
}
