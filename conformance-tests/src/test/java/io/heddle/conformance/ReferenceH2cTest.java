package io.heddle.conformance;

class ReferenceH2cTest extends H2cSuite {
  ReferenceH2cTest() {
    super(new ReferenceDriver());
  }
}
