package io.heddle.okhttp;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.H2cSuite;

@Deviation(rule = "EX-19", reason = Deviations.NO_CONTINUE)
@Deviation(rule = "FA-06", reason = Deviations.POST_AGAIN)
@Deviation(rule = "H2-08", reason = Deviations.POST_AGAIN)
class OkHttpH2cTest extends H2cSuite {
  OkHttpH2cTest() {
    super(new OkHttpDriver());
  }
}
