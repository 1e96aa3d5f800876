package io.heddle.jetty;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.Http11TlsSuite;

@Deviation(rule = "FR-05", reason = Deviations.EARLY)
@Deviation(rule = "IS-01", reason = Deviations.AUTHENTICATION)
@Deviation(rule = "IS-02", reason = Deviations.AUTHENTICATION)
class JettyHttp11TlsTest extends Http11TlsSuite {
  JettyHttp11TlsTest() {
    super(new JettyDriver());
  }
}
