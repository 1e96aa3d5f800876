package io.heddle.ahc;

import io.heddle.conformance.SoakSuite;
import io.heddle.conformance.Wire;
import io.netty.util.IllegalReferenceCountException;
import org.jspecify.annotations.Nullable;

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
  protected boolean mayLog(String logger, @Nullable Throwable thrown) {
    return logger.startsWith("io.netty.util.concurrent.DefaultPromise")
        || (logger.equals("org.asynchttpclient.netty.request.NettyRequestSender")
            && thrown instanceof IllegalReferenceCountException);
  }
}
