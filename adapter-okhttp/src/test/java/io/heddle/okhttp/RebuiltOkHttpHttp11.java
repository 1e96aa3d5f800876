package io.heddle.okhttp;

import io.heddle.conformance.Http11Suite;

/** Not run by each build: conformance/CONFORMANCE.md says how it is run. */
@Deviations.OverHttp1
class RebuiltOkHttpHttp11 extends Http11Suite {
  RebuiltOkHttpHttp11() {
    super(new RebuiltOkHttpDriver());
  }
}
