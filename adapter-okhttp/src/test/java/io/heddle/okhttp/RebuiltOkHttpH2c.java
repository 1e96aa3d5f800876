package io.heddle.okhttp;

import io.heddle.conformance.H2cSuite;

/** Not run by each build: conformance/CONFORMANCE.md says how it is run. */
@Deviations.OverHttp2
class RebuiltOkHttpH2c extends H2cSuite {
  RebuiltOkHttpH2c() {
    super(new RebuiltOkHttpDriver());
  }
}
