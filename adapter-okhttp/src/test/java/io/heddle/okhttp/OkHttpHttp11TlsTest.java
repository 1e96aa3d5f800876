package io.heddle.okhttp;

import io.heddle.conformance.Http11TlsSuite;

@Deviations.OverHttp1
class OkHttpHttp11TlsTest extends Http11TlsSuite {
  OkHttpHttp11TlsTest() {
    super(new OkHttpDriver());
  }
}
