package io.heddle.jersey;

import io.heddle.conformance.HostileSuite;
import io.heddle.conformance.Wire;

/** All cases. Not run by each build: docs/hostile-servers.md says why, and how it is run. */
class JerseyHostile extends HostileSuite {
  JerseyHostile() {
    super(new JerseyDriver(), Extent.ALL, Wire.values());
  }
}
