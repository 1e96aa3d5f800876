package io.heddle.ahc;

import io.heddle.conformance.SoakSuite;
import io.heddle.conformance.Wire;
import io.netty.util.IllegalReferenceCountException;
import java.util.logging.LogRecord;

/** All wires: docs/soak.md. */
class AhcSoakTest extends SoakSuite {
  AhcSoakTest() {
    super(new AhcDriver(), Wire.values());
  }

  /**
   * Netty, where AHC connects on event loops that the client has just closed; and AHC, where a call
   * is given up just as its request is written: that frees the body of a request that is not.
   */
  @Override
  protected boolean mayLog(LogRecord logged) {
    return isOfClosedLoops(logged)
        || ("org.asynchttpclient.netty.request.NettyRequestSender".equals(logged.getLoggerName())
            && "Can't write HTTP/2 request".equals(logged.getMessage())
            && logged.getThrown() instanceof IllegalReferenceCountException);
  }
}
