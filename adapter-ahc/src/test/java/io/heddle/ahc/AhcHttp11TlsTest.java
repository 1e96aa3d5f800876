package io.heddle.ahc;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.Http11TlsSuite;

@Deviation(rule = "FR-02", reason = Deviations.SURPLUS)
@Deviation(rule = "FR-05", reason = Deviations.EARLY)
@Deviation(rule = "IS-02", reason = Deviations.HOOK)
class AhcHttp11TlsTest extends Http11TlsSuite {
  AhcHttp11TlsTest() {
    super(new AhcDriver());
  }
}
