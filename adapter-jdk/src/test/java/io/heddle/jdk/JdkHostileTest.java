package io.heddle.jdk;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.HostileSuite;
import io.heddle.conformance.Wire;

@Deviation(
    rule = "HTTP_1_1 FIELD_THAT_COMES_AS_TWO",
    reason = Deviations.CR_ENDS_A_LINE,
    failure = "a field that was in another's value")
class JdkHostileTest extends HostileSuite {
  JdkHostileTest() {
    super(new JdkDriver(), Extent.QUICK, Wire.HTTP_1_1, Wire.H2_TLS);
  }
}
