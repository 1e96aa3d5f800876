package io.heddle.jetty;

import io.heddle.conformance.HostileSuite;
import io.heddle.conformance.Wire;

class JettyHostileTest extends HostileSuite {
  JettyHostileTest() {
    super(new JettyDriver(), Extent.QUICK, Wire.HTTP_1_1, Wire.H2_TLS);
  }
}
