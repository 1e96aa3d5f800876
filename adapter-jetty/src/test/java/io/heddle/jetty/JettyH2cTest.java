package io.heddle.jetty;

import io.heddle.conformance.H2cSuite;

class JettyH2cTest extends H2cSuite {
  JettyH2cTest() {
    super(new JettyDriver());
  }
}
