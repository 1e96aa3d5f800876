package io.heddle.conformance;

class ReferenceHostileTest extends HostileSuite {
  ReferenceHostileTest() {
    super(new ReferenceDriver(), Wire.HTTP_1_1, Wire.H2_TLS);
  }
}
