package io.heddle.apache;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.Http11Suite;

@Deviation(rule = "IS-02", reason = Deviations.ERROR)
@Deviation(rule = "IS-04", reason = Deviations.ERROR)
class ApacheHttp11Test extends Http11Suite {
  ApacheHttp11Test() {
    super(new ApacheDriver());
  }
}
