package io.heddle.jdk;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.H2TlsSuite;

@Deviations.OnEachWire
@Deviation(
    rule = "EX-04",
    reason = Deviations.NO_LENGTH_OF_NOTHING,
    failure = "expected: <0> but was: <null>")
@Deviation(rule = "PA-01", reason = Deviations.DEAD_PATH, failure = "HttpTimeoutException")
@Deviation(rule = "PA-02", reason = Deviations.DEAD_PATH, failure = "HttpTimeoutException")
class JdkH2TlsTest extends H2TlsSuite {
  JdkH2TlsTest() {
    super(new JdkDriver());
  }
}
