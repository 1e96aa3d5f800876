package io.heddle.jersey;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.Http11Suite;

@Deviation(rule = "EX-12", reason = Deviations.TRAILERS)
@Deviation(rule = "CA-09", reason = Deviations.TRAILERS)
@Deviation(rule = "IS-01", reason = Deviations.HOOK)
@Deviation(rule = "IS-02", reason = Deviations.ERROR)
@Deviation(rule = "IS-04", reason = Deviations.ERROR)
class JerseyHttp11Test extends Http11Suite {
  JerseyHttp11Test() {
    super(new JerseyDriver());
  }
}
