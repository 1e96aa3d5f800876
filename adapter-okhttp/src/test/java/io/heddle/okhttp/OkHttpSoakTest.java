package io.heddle.okhttp;

import io.heddle.conformance.SoakSuite;
import io.heddle.conformance.Wire;

/** On all wires. */
class OkHttpSoakTest extends SoakSuite {
  OkHttpSoakTest() {
    super(new OkHttpDriver(), Wire.values());
  }

  /** See {@link Deviations#POST_AGAIN}. */
  @Override
  protected boolean mayPostAgain() {
    return true;
  }

  /** See {@link OkHttpResponseBody#isWhole}. */
  @Override
  protected boolean mayMissSurplus() {
    return true;
  }
}
