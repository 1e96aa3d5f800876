package io.heddle.conformance;

import org.jspecify.annotations.Nullable;

class ReferenceSoakTest extends SoakSuite {
  ReferenceSoakTest() {
    super(new ReferenceDriver(), Wire.HTTP_1_1, Wire.HTTP_1_1_TLS, Wire.H2_TLS);
  }

  /** Netty, where a call meets event loops that a client has just closed. */
  @Override
  protected boolean mayLog(String logger, @Nullable Throwable thrown) {
    return mayLogWhenClosed(logger, thrown);
  }

  static boolean mayLogWhenClosed(String logger, @Nullable Throwable thrown) {
    return logger.startsWith("io.netty.util.concurrent.DefaultPromise");
  }
}
