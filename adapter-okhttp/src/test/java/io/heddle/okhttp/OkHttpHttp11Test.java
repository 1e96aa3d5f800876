package io.heddle.okhttp;

import io.heddle.conformance.Http11Suite;

@Deviations.OverHttp1
class OkHttpHttp11Test extends Http11Suite {
  OkHttpHttp11Test() {
    super(new OkHttpDriver());
  }
}
