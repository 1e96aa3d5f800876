package io.heddle.okhttp;

import io.heddle.conformance.HostileSuite;
import io.heddle.conformance.Wire;

/** All cases. Not run by each build: docs/hostile-servers.md says why, and how it is run. */
class OkHttpHostile extends HostileSuite {
  OkHttpHostile() {
    super(new OkHttpDriver(), Extent.ALL, Wire.values());
  }
}
