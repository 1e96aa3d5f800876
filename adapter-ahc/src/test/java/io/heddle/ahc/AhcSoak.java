package io.heddle.ahc;

import io.heddle.conformance.SoakSuite;
import io.heddle.conformance.Wire;

/** Not run by each build: docs/soak.md says why, and how it is run. */
class AhcSoak extends SoakSuite {
  AhcSoak() {
    super(new AhcDriver(), Wire.values());
  }

  /** Netty, where AHC connects on event loops that the client has just closed. */
  @Override
  protected boolean mayLog(String logger) {
    return logger.startsWith("io.netty.util.concurrent.DefaultPromise");
  }
}
