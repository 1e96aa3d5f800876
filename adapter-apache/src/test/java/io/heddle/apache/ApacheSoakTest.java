package io.heddle.apache;

import io.heddle.conformance.SoakSuite;
import io.heddle.conformance.Wire;
import io.heddle.pinning.PinningReport;

/** All wires: docs/soak.md. */
class ApacheSoakTest extends SoakSuite {
  ApacheSoakTest() {
    super(new ApacheDriver(), Wire.values());
  }

  @Override
  protected boolean mayEndConnection(Wire wire, Throwable failure) {
    return ApacheDriver.isOfForgottenStream(failure);
  }

  @Override
  protected PinningReport withoutKnownPins(Wire wire, PinningReport pins) {
    return ApacheDriver.withoutCloses(wire, pins);
  }
}
