package io.heddle.jdk;

import io.heddle.conformance.SoakSuite;
import io.heddle.conformance.Wire;

/** Not run by each build: docs/soak.md says why, and how it is run. */
class JdkSoak extends SoakSuite {
  JdkSoak() {
    super(new JdkDriver(), Wire.H2_TLS);
  }
}
