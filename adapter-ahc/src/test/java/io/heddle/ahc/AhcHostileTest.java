package io.heddle.ahc;

import io.heddle.conformance.HostileSuite;
import io.heddle.conformance.Wire;

class AhcHostileTest extends HostileSuite {
  AhcHostileTest() {
    super(new AhcDriver(), Extent.QUICK, Wire.HTTP_1_1, Wire.H2_TLS);
  }
}
