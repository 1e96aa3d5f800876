package io.heddle.jetty;

import io.heddle.conformance.HostileSuite;
import io.heddle.conformance.Wire;

/** All cases. Not run by each build: docs/hostile-servers.md says why, and how it is run. */
class JettyHostile extends HostileSuite {
  JettyHostile() {
    super(new JettyDriver(), Extent.ALL, Wire.values());
  }
}
