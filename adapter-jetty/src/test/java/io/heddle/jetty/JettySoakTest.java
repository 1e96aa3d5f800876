package io.heddle.jetty;

import io.heddle.conformance.SoakSuite;
import io.heddle.conformance.Wire;

/** All wires: docs/soak.md. */
class JettySoakTest extends SoakSuite {
  JettySoakTest() {
    super(new JettyDriver(), Wire.values());
  }
}
