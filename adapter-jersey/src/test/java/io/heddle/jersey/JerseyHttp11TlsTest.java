package io.heddle.jersey;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.Http11TlsSuite;
import org.junit.jupiter.api.Tag;

@Tag("more-wires")
@Deviation(rule = "EX-12", reason = Deviations.TRAILERS, failure = "but was: <{}>")
@Deviation(rule = "CA-09", reason = Deviations.TRAILERS, failure = "expected: <1> but was: <0>")
class JerseyHttp11TlsTest extends Http11TlsSuite {
  JerseyHttp11TlsTest() {
    super(new JerseyDriver());
  }
}
