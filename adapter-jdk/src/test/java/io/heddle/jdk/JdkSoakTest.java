package io.heddle.jdk;

import io.heddle.conformance.SoakSuite;
import io.heddle.conformance.Wire;

/** The wires on which this adapter comes through; {@link JdkSoak} has the other. */
class JdkSoakTest extends SoakSuite {
  JdkSoakTest() {
    super(new JdkDriver(), Wire.HTTP_1_1, Wire.HTTP_1_1_TLS);
  }
}
