package io.heddle.apache;

import io.heddle.conformance.HostileSuite;
import io.heddle.conformance.Wire;

class ApacheHostileTest extends HostileSuite {
  ApacheHostileTest() {
    super(new ApacheDriver(), Extent.QUICK, Wire.HTTP_1_1, Wire.H2_TLS);
  }
}
