package io.heddle.jersey;

import io.heddle.conformance.Http11Suite;

@Deviations.OnEachWire
class JerseyHttp11Test extends Http11Suite {
  JerseyHttp11Test() {
    super(new JerseyDriver());
  }
}
