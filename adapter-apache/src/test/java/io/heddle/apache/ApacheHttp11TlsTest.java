package io.heddle.apache;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.Http11TlsSuite;

@Deviation(rule = "FR-02", reason = Deviations.SURPLUS)
class ApacheHttp11TlsTest extends Http11TlsSuite {
  ApacheHttp11TlsTest() {
    super(new ApacheDriver());
  }
}
