package io.heddle.jetty;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.H2TlsSuite;

@Deviation(rule = "FR-05", reason = Deviations.EARLY)
@Deviation(rule = "IS-01", reason = Deviations.AUTHENTICATION)
@Deviation(rule = "IS-02", reason = Deviations.AUTHENTICATION)
class JettyH2TlsTest extends H2TlsSuite {
  JettyH2TlsTest() {
    super(new JettyDriver());
  }
}
