package io.heddle.jersey;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.Http11Suite;

@Deviation(rule = "EX-12", reason = Deviations.TRAILERS)
@Deviation(rule = "CA-09", reason = Deviations.TRAILERS)
class JerseyHttp11Test extends Http11Suite {
  JerseyHttp11Test() {
    super(new JerseyDriver());
  }
}
