package io.heddle.apache;

import io.heddle.conformance.Http11TlsSuite;

class ApacheHttp11TlsTest extends Http11TlsSuite {
  ApacheHttp11TlsTest() {
    super(new ApacheDriver());
  }
}
