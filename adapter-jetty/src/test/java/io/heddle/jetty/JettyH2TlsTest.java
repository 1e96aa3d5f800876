package io.heddle.jetty;

import io.heddle.conformance.H2TlsSuite;

class JettyH2TlsTest extends H2TlsSuite {
  JettyH2TlsTest() {
    super(new JettyDriver());
  }
}
