package io.heddle.ahc;

import io.heddle.conformance.Http11TlsSuite;

class AhcHttp11TlsTest extends Http11TlsSuite {
  AhcHttp11TlsTest() {
    super(new AhcDriver());
  }
}
