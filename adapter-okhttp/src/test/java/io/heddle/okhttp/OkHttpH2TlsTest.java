package io.heddle.okhttp;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.H2TlsSuite;

@Deviation(rule = "EX-19", reason = Deviations.NO_CONTINUE)
@Deviation(rule = "FA-06", reason = Deviations.POST_AGAIN)
@Deviation(rule = "H2-08", reason = Deviations.POST_AGAIN)
class OkHttpH2TlsTest extends H2TlsSuite {
  OkHttpH2TlsTest() {
    super(new OkHttpDriver());
  }
}
