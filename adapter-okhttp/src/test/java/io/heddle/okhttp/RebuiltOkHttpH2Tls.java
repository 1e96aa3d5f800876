package io.heddle.okhttp;

import io.heddle.conformance.H2TlsSuite;

/** Not run by each build: conformance/CONFORMANCE.md says how it is run. */
@Deviations.OverHttp2
class RebuiltOkHttpH2Tls extends H2TlsSuite {
  RebuiltOkHttpH2Tls() {
    super(new RebuiltOkHttpDriver());
  }
}
