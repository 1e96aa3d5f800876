package io.heddle.jdk;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.Http11TlsSuite;

@Deviation(rule = "EX-12", reason = Deviations.TRAILERS, failure = "but was: <{}>")
@Deviation(
    rule = "EX-19",
    reason = Deviations.EXPECT_AGAIN,
    failure = "the request was sent 2 times")
@Deviation(rule = "CA-09", reason = Deviations.TRAILERS, failure = "expected: <1> but was: <0>")
@Deviation(rule = "SI-03", reason = Deviations.NO_CANCEL, failure = "GET 0 interrupted")
class JdkHttp11TlsTest extends Http11TlsSuite {
  JdkHttp11TlsTest() {
    super(new JdkDriver());
  }
}
