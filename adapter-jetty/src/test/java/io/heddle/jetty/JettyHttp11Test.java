package io.heddle.jetty;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.Http11Suite;

@Deviation(rule = "FR-05", reason = Deviations.EARLY)
class JettyHttp11Test extends Http11Suite {
  JettyHttp11Test() {
    super(new JettyDriver());
  }
}
