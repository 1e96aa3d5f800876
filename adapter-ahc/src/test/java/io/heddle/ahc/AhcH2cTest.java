package io.heddle.ahc;

import io.heddle.conformance.H2cSuite;

class AhcH2cTest extends H2cSuite {
  AhcH2cTest() {
    super(new AhcDriver());
  }
}
