package io.heddle.okhttp;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.H2cSuite;

@Deviation(rule = "EX-19", reason = Deviations.NO_CONTINUE)
@Deviation(rule = "DL-01", reason = Deviations.CONNECTIONS)
@Deviation(rule = "DL-15", reason = Deviations.CONNECTIONS)
@Deviation(rule = "CA-02", reason = Deviations.CONNECTIONS)
@Deviation(rule = "CA-13", reason = Deviations.CONNECTIONS)
@Deviation(rule = "FA-06", reason = Deviations.POST_AGAIN)
@Deviation(rule = "LI-01", reason = Deviations.CONNECTIONS)
@Deviation(rule = "TR-02", reason = Deviations.CONNECTIONS)
@Deviation(rule = "H2-08", reason = Deviations.POST_AGAIN)
@Deviation(rule = "H2-10", reason = Deviations.CONNECTIONS)
class OkHttpH2cTest extends H2cSuite {
  OkHttpH2cTest() {
    super(new OkHttpDriver());
  }
}
