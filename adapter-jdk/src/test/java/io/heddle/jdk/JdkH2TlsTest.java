package io.heddle.jdk;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.H2TlsSuite;

@Deviations.OnEachWire
@Deviation(
    rule = "EX-04",
    reason = Deviations.NO_LENGTH_OF_NOTHING,
    failure = "expected: <0> but was: <null>")
class JdkH2TlsTest extends H2TlsSuite {
  JdkH2TlsTest() {
    super(new JdkDriver());
  }
}
