package io.heddle.jersey;

import io.heddle.conformance.HostileSuite;
import io.heddle.conformance.Wire;

class JerseyHostileTest extends HostileSuite {
  JerseyHostileTest() {
    super(new JerseyDriver(), Extent.QUICK, Wire.HTTP_1_1, Wire.H2_TLS);
  }
}
