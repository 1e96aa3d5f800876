package io.heddle.ahc;

import io.heddle.conformance.H2TlsSuite;

class AhcH2TlsTest extends H2TlsSuite {
  AhcH2TlsTest() {
    super(new AhcDriver());
  }
}
