package io.heddle.jersey;

import io.heddle.conformance.H2cSuite;
import org.junit.jupiter.api.Tag;

@Tag("more-wires")
@Deviations.OnEachWire
class JerseyH2cTest extends H2cSuite {
  JerseyH2cTest() {
    super(new JerseyDriver());
  }
}
