package io.heddle.apache;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.Http11TlsSuite;

@Deviation(rule = "IS-02", reason = Deviations.ERROR)
@Deviation(rule = "IS-04", reason = Deviations.ERROR)
class ApacheHttp11TlsTest extends Http11TlsSuite {
  ApacheHttp11TlsTest() {
    super(new ApacheDriver());
  }
}
