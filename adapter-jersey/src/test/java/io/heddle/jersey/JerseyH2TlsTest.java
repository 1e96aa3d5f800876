package io.heddle.jersey;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.H2TlsSuite;

@Deviation(rule = "EX-12", reason = Deviations.TRAILERS, failure = "but was: <{}>")
@Deviation(rule = "CA-09", reason = Deviations.TRAILERS, failure = "expected: <1> but was: <0>")
class JerseyH2TlsTest extends H2TlsSuite {
  JerseyH2TlsTest() {
    super(new JerseyDriver());
  }
}
