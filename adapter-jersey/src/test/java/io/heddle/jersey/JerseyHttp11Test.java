package io.heddle.jersey;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.Http11Suite;

@Deviation(rule = "EX-12", reason = Deviations.TRAILERS, failure = "but was: <{}>")
@Deviation(rule = "CA-09", reason = Deviations.TRAILERS, failure = "expected: <1> but was: <0>")
class JerseyHttp11Test extends Http11Suite {
  JerseyHttp11Test() {
    super(new JerseyDriver());
  }
}
