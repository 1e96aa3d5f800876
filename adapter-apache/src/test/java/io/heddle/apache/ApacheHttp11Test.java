package io.heddle.apache;

import io.heddle.conformance.Http11Suite;

class ApacheHttp11Test extends Http11Suite {
  ApacheHttp11Test() {
    super(new ApacheDriver());
  }
}
