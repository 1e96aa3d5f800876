package io.heddle.jersey;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.Http11TlsSuite;
import org.junit.jupiter.api.Tag;

@Tag("more-wires")
@Deviation(rule = "EX-12", reason = Deviations.TRAILERS)
@Deviation(rule = "CA-09", reason = Deviations.TRAILERS)
class JerseyHttp11TlsTest extends Http11TlsSuite {
  JerseyHttp11TlsTest() {
    super(new JerseyDriver());
  }
}
