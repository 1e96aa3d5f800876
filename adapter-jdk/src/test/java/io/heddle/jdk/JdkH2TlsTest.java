package io.heddle.jdk;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.H2TlsSuite;

@Deviation(rule = "EX-12", reason = Deviations.TRAILERS, failure = "but was: <{}>")
@Deviation(
    rule = "EX-19",
    reason = Deviations.EXPECT_AGAIN,
    failure = "the request was sent 2 times")
@Deviation(rule = "CA-09", reason = Deviations.TRAILERS, failure = "expected: <1> but was: <0>")
@Deviation(rule = "SI-03", reason = Deviations.NO_CANCEL, failure = "GET 0 interrupted")
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
