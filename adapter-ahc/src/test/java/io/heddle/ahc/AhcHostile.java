package io.heddle.ahc;

import io.heddle.conformance.HostileSuite;
import io.heddle.conformance.Wire;

/** All cases. Not run by each build: docs/hostile-servers.md says why, and how it is run. */
class AhcHostile extends HostileSuite {
  AhcHostile() {
    super(new AhcDriver(), Extent.ALL, Wire.values());
  }
}
