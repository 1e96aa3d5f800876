package io.heddle.ahc;

import io.heddle.conformance.Http11Suite;

class AhcHttp11Test extends Http11Suite {
  AhcHttp11Test() {
    super(new AhcDriver());
  }
}
