package io.heddle.jdk;

import io.heddle.conformance.Http11Suite;

@Deviations.OnEachWire
class JdkHttp11Test extends Http11Suite {
  JdkHttp11Test() {
    super(new JdkDriver());
  }
}
