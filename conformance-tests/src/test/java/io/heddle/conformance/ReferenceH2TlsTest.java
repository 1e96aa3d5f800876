package io.heddle.conformance;

class ReferenceH2TlsTest extends H2TlsSuite {
  ReferenceH2TlsTest() {
    super(new ReferenceDriver());
  }
}
