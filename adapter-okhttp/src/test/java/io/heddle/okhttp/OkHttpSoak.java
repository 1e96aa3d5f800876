package io.heddle.okhttp;

import io.heddle.conformance.SoakSuite;
import io.heddle.conformance.Wire;

/** Not run by each build: docs/soak.md says why, and how it is run. */
class OkHttpSoak extends SoakSuite {
  OkHttpSoak() {
    super(new OkHttpDriver(), Wire.H2C, Wire.H2_TLS);
  }

  /** See {@link Deviations#POST_AGAIN}. */
  @Override
  protected boolean mayPostAgain() {
    return true;
  }
}
