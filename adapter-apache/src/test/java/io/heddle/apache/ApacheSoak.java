package io.heddle.apache;

import io.heddle.conformance.SoakSuite;
import io.heddle.conformance.Wire;

/** Not run by each build: docs/soak.md says why, and how it is run. */
class ApacheSoak extends SoakSuite {
  ApacheSoak() {
    super(new ApacheDriver(), Wire.values());
  }
}
