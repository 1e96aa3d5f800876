package io.heddle.okhttp;

import io.heddle.conformance.HostileSuite;
import io.heddle.conformance.Wire;

class OkHttpHostileTest extends HostileSuite {
  OkHttpHostileTest() {
    super(new OkHttpDriver(), Extent.QUICK, Wire.HTTP_1_1, Wire.H2_TLS);
  }
}
