package io.heddle.jersey;

import io.heddle.conformance.H2TlsSuite;

@Deviations.OnEachWire
class JerseyH2TlsTest extends H2TlsSuite {
  JerseyH2TlsTest() {
    super(new JerseyDriver());
  }
}
