package io.heddle.apache;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.Http11Suite;

@Deviation(rule = "FR-02", reason = Deviations.SURPLUS)
class ApacheHttp11Test extends Http11Suite {
  ApacheHttp11Test() {
    super(new ApacheDriver());
  }
}
