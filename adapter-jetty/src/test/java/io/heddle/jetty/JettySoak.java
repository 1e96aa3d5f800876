package io.heddle.jetty;

import io.heddle.conformance.SoakSuite;
import io.heddle.conformance.Wire;

/** Not run by each build: docs/soak.md says why, and how it is run. */
class JettySoak extends SoakSuite {
  JettySoak() {
    super(new JettyDriver(), Wire.H2C, Wire.H2_TLS);
  }
}
