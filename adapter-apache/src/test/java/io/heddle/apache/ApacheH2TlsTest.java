package io.heddle.apache;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.H2TlsSuite;

@Deviation(rule = "IS-02", reason = Deviations.ERROR)
@Deviation(rule = "IS-04", reason = Deviations.ERROR)
class ApacheH2TlsTest extends H2TlsSuite {
  ApacheH2TlsTest() {
    super(new ApacheDriver());
  }
}
