package io.heddle.jetty;

import io.heddle.conformance.SoakSuite;
import io.heddle.conformance.Wire;

/** The wires on which this adapter comes through; {@link JettySoak} has the others. */
class JettySoakTest extends SoakSuite {
  JettySoakTest() {
    super(new JettyDriver(), Wire.HTTP_1_1, Wire.HTTP_1_1_TLS);
  }
}
