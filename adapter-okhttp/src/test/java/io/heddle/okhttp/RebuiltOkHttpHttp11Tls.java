package io.heddle.okhttp;

import io.heddle.conformance.Http11TlsSuite;

/** Not run by each build: conformance/CONFORMANCE.md says how it is run. */
@Deviations.OverHttp1
class RebuiltOkHttpHttp11Tls extends Http11TlsSuite {
  RebuiltOkHttpHttp11Tls() {
    super(new RebuiltOkHttpDriver());
  }
}
