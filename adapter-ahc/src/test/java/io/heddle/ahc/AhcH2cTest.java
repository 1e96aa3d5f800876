package io.heddle.ahc;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.H2cSuite;

@Deviation(rule = "FR-01", reason = Deviations.NO_BODY)
@Deviation(rule = "PA-01", reason = Deviations.DEAD)
@Deviation(rule = "PA-02", reason = Deviations.DEAD)
@Deviation(rule = "PA-03", reason = Deviations.REFUSED)
@Deviation(rule = "IS-02", reason = Deviations.HOOK)
class AhcH2cTest extends H2cSuite {
  AhcH2cTest() {
    super(new AhcDriver());
  }
}
