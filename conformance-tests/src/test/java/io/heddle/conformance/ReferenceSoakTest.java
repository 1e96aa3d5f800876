package io.heddle.conformance;

import java.util.logging.LogRecord;

class ReferenceSoakTest extends SoakSuite {
  ReferenceSoakTest() {
    super(new ReferenceDriver(), Wire.HTTP_1_1, Wire.HTTP_1_1_TLS, Wire.H2_TLS);
  }

  /** Netty, where a call meets event loops that a client has just closed. */
  @Override
  protected boolean mayLog(LogRecord logged) {
    return isOfClosedLoops(logged);
  }
}
