package io.heddle.jersey;

import io.heddle.apache.ApacheDriver;
import io.heddle.conformance.SoakSuite;
import io.heddle.conformance.Wire;
import io.heddle.pinning.PinningReport;
import org.glassfish.hk2.api.MultiException;

/** All wires: docs/soak.md. */
class JerseySoakTest extends SoakSuite {

  /** What Jersey's {@code RequestScope} says once its client is closed. */
  static final String SHUT_DOWN = "Request scope has been already shut down.";

  JerseySoakTest() {
    super(new JerseyDriver(), Wire.values());
  }

  @Override
  protected boolean mayEndConnection(Wire wire, Throwable failure) {
    return ApacheDriver.isOfForgottenStream(JerseyDriver.ofApache(failure));
  }

  /**
   * The first calls of a client wait for each other, while HK2 (3.0.6) makes what Jersey injects:
   * {@code Cache.compute} ends at an interrupt with a RuntimeException, and does not set the flag
   * again. No connector has the call by then.
   */
  @Override
  protected boolean mayLoseInterrupt(Throwable failure) {
    return failure.getCause() instanceof MultiException hk2
        && hk2.getErrors().stream()
            .anyMatch(each -> each.getCause() instanceof InterruptedException);
  }

  /**
   * Jersey asks for the scope of the request, or ends it, with the response in its hand, and its
   * {@code RequestScope}, or HK2, is shut down.
   */
  @Override
  protected boolean mayDropResponse(Throwable failure) {
    return failure instanceof MultiException
        || (failure instanceof IllegalStateException && SHUT_DOWN.equals(failure.getMessage()));
  }

  /** The first callers: {@code Utilities.createService} then words what it has not made. */
  @Override
  protected PinningReport withoutKnownPins(Wire wire, PinningReport pins) {
    return ApacheDriver.withoutCloses(wire, pins)
        .ignoring(
            "org\\.jvnet\\.hk2\\.internal\\.SystemDescriptor\\.toString\\(",
            "HK2 enters a monitor to word why it has not made what Jersey injects");
  }
}
