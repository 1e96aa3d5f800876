package io.heddle.jersey;

import io.heddle.conformance.Http11TlsSuite;
import org.junit.jupiter.api.Tag;

@Tag("more-wires")
@Deviations.OnEachWire
class JerseyHttp11TlsTest extends Http11TlsSuite {
  JerseyHttp11TlsTest() {
    super(new JerseyDriver());
  }
}
