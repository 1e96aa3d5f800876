package io.heddle.okhttp;

import io.heddle.conformance.H2cSuite;

@Deviations.OverHttp2
class OkHttpH2cTest extends H2cSuite {
  OkHttpH2cTest() {
    super(new OkHttpDriver());
  }
}
