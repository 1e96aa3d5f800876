package io.heddle.jetty;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.H2TlsSuite;

@Deviation(rule = "FR-01", reason = Deviations.LENGTH)
@Deviation(rule = "FR-02", reason = Deviations.LENGTH)
@Deviation(rule = "FR-05", reason = Deviations.EARLY)
@Deviation(rule = "PA-01", reason = Deviations.DEAD)
@Deviation(rule = "PA-02", reason = Deviations.DEAD)
@Deviation(rule = "PA-03", reason = Deviations.REFUSED)
@Deviation(rule = "H2-13", reason = Deviations.REFUSED)
@Deviation(rule = "IS-01", reason = Deviations.AUTHENTICATION)
@Deviation(rule = "IS-02", reason = Deviations.AUTHENTICATION)
@Deviation(rule = "CO-02", reason = Deviations.INHERITED)
class JettyH2TlsTest extends H2TlsSuite {
  JettyH2TlsTest() {
    super(new JettyDriver());
  }
}
