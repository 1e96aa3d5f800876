package io.heddle.ahc;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.Http11Suite;

@Deviation(rule = "FR-02", reason = Deviations.SURPLUS)
@Deviation(rule = "FR-05", reason = Deviations.EARLY)
@Deviation(rule = "IS-02", reason = Deviations.HOOK)
class AhcHttp11Test extends Http11Suite {
  AhcHttp11Test() {
    super(new AhcDriver());
  }
}
