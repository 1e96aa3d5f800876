package io.heddle.jetty;

import io.heddle.conformance.Http11Suite;

class JettyHttp11Test extends Http11Suite {
  JettyHttp11Test() {
    super(new JettyDriver());
  }
}
