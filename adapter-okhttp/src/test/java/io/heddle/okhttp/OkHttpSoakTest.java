package io.heddle.okhttp;

import io.heddle.conformance.SoakSuite;
import io.heddle.conformance.Wire;

/** The wires on which this adapter comes through; {@link OkHttpSoak} has the others. */
class OkHttpSoakTest extends SoakSuite {
  OkHttpSoakTest() {
    super(new OkHttpDriver(), Wire.HTTP_1_1, Wire.HTTP_1_1_TLS);
  }

  /** See {@link Deviations#POST_AGAIN}. */
  @Override
  protected boolean mayPostAgain() {
    return true;
  }
}
