package io.heddle.okhttp;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.H2TlsSuite;

/** Not run by each build: conformance/CONFORMANCE.md says how it is run. */
@Deviation(rule = "EX-19", reason = Deviations.NO_CONTINUE, failure = "SocketTimeoutException")
@Deviation(
    rule = "FA-06",
    reason = Deviations.POST_AGAIN,
    failure = "times sent ==> expected: <1> but was: <2>")
@Deviation(
    rule = "H2-08",
    reason = Deviations.POST_AGAIN,
    failure = {"the call succeeded", "the request was sent 2 times"})
class RebuiltOkHttpH2Tls extends H2TlsSuite {
  RebuiltOkHttpH2Tls() {
    super(new RebuiltOkHttpDriver());
  }
}
