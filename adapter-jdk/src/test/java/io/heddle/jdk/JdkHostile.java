package io.heddle.jdk;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.HostileSuite;
import io.heddle.conformance.Wire;

/** All cases. Not run by each build: docs/hostile-servers.md says why, and how it is run. */
@Deviation(
    rule = "HTTP_1_1 FIELD_THAT_COMES_AS_TWO",
    reason = Deviations.CR_ENDS_A_LINE,
    failure = "a field that was in another's value")
@Deviation(
    rule = "HTTP_1_1_TLS FIELD_THAT_COMES_AS_TWO",
    reason = Deviations.CR_ENDS_A_LINE,
    failure = "a field that was in another's value")
class JdkHostile extends HostileSuite {
  JdkHostile() {
    super(new JdkDriver(), Extent.ALL, Wire.HTTP_1_1, Wire.HTTP_1_1_TLS, Wire.H2_TLS);
  }
}
