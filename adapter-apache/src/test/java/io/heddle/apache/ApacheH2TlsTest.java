package io.heddle.apache;

import io.heddle.conformance.H2TlsSuite;

class ApacheH2TlsTest extends H2TlsSuite {
  ApacheH2TlsTest() {
    super(new ApacheDriver());
  }
}
