package io.heddle.conformance;

class ReferenceHostileTest extends HostileSuite {
  ReferenceHostileTest() {
    super(new ReferenceDriver(), Extent.ALL, Wire.HTTP_1_1, Wire.H2_TLS);
  }
}
