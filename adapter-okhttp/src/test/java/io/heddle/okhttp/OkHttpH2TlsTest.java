package io.heddle.okhttp;

import io.heddle.conformance.H2TlsSuite;

@Deviations.OverHttp2
class OkHttpH2TlsTest extends H2TlsSuite {
  OkHttpH2TlsTest() {
    super(new OkHttpDriver());
  }
}
