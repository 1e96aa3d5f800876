package io.heddle.conformance;

class ReferenceHttp11TlsTest extends Http11TlsSuite {
  ReferenceHttp11TlsTest() {
    super(new ReferenceDriver());
  }
}
