package io.heddle.apache;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.H2cSuite;

@Deviation(rule = "PA-01", reason = Deviations.DEAD)
@Deviation(rule = "PA-02", reason = Deviations.DEAD)
@Deviation(rule = "PA-03", reason = Deviations.REFUSED)
@Deviation(rule = "H2-13", reason = Deviations.REFUSED)
@Deviation(rule = "IS-02", reason = Deviations.ERROR)
@Deviation(rule = "IS-04", reason = Deviations.ERROR)
class ApacheH2cTest extends H2cSuite {
  ApacheH2cTest() {
    super(new ApacheDriver());
  }
}
