package io.heddle.jetty;

import io.heddle.conformance.Http11TlsSuite;

class JettyHttp11TlsTest extends Http11TlsSuite {
  JettyHttp11TlsTest() {
    super(new JettyDriver());
  }
}
