package io.heddle.apache;

import io.heddle.conformance.HostileSuite;
import io.heddle.conformance.Wire;

/** All cases. Not run by each build: docs/hostile-servers.md says why, and how it is run. */
class ApacheHostile extends HostileSuite {
  ApacheHostile() {
    super(new ApacheDriver(), Extent.ALL, Wire.values());
  }
}
