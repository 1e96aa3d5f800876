package io.heddle.jdk;

import io.heddle.conformance.HostileSuite;
import io.heddle.conformance.Wire;

/** Not run by each build: docs/hostile-servers.md says why, and how it is run. */
class JdkHostile extends HostileSuite {
  JdkHostile() {
    super(new JdkDriver(), Wire.HTTP_1_1, Wire.HTTP_1_1_TLS, Wire.H2_TLS);
  }
}
