package io.heddle.apache;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.H2cSuite;

@Deviation(rule = "IS-02", reason = Deviations.ERROR)
@Deviation(rule = "IS-04", reason = Deviations.ERROR)
class ApacheH2cTest extends H2cSuite {
  ApacheH2cTest() {
    super(new ApacheDriver());
  }
}
