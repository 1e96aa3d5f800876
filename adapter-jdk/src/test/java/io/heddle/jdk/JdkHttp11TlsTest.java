package io.heddle.jdk;

import io.heddle.conformance.Http11TlsSuite;

@Deviations.OnEachWire
class JdkHttp11TlsTest extends Http11TlsSuite {
  JdkHttp11TlsTest() {
    super(new JdkDriver());
  }
}
