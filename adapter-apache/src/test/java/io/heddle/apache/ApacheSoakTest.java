package io.heddle.apache;

import io.heddle.conformance.SoakSuite;
import io.heddle.conformance.Wire;

/** All wires: docs/soak.md. */
class ApacheSoakTest extends SoakSuite {
  ApacheSoakTest() {
    super(new ApacheDriver(), Wire.values());
  }

  @Override
  protected boolean mayEndConnection(Wire wire, Throwable failure) {
    return ApacheDriver.isOfForgottenStream(failure);
  }
}
