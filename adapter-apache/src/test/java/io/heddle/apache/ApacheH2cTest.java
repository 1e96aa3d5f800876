package io.heddle.apache;

import io.heddle.conformance.H2cSuite;

class ApacheH2cTest extends H2cSuite {
  ApacheH2cTest() {
    super(new ApacheDriver());
  }
}
