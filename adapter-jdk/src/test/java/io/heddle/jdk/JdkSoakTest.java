package io.heddle.jdk;

import io.heddle.conformance.SoakSuite;
import io.heddle.conformance.Wire;
import java.io.EOFException;
import java.io.IOException;

/** The adapter on its wires, with what is known of the JDK's client over HTTP/2. */
class JdkSoakTest extends SoakSuite {
  JdkSoakTest() {
    super(new JdkDriver(), Wire.HTTP_1_1, Wire.HTTP_1_1_TLS, Wire.H2_TLS);
  }

  /**
   * The soak's clients follow redirects, and the JDK sends what was refused a second time by
   * itself. If there is no stream for that, or it is refused as well, Heddle cannot tell it from
   * the target of a redirect, whose origin has taken the request; but for what JDK 24 and later say
   * of a request that was refused twice. JDK 21 also drops why a stream was reset, if the request
   * had not ended. Where the refusal is the last thing on a connection, the JDK may tell the end of
   * that instead.
   */
  @Override
  protected boolean mayNotGoAgain(Throwable failure, boolean post, boolean redirected) {
    return failure instanceof IOException refused
        && (isWithoutReason(refused)
            || (post
                && (JdkInternals.hadNoStream(refused)
                    || refused.getCause() instanceof EOFException
                    || (JdkInternals.wasNotProcessed(refused)
                        && (redirected || JdkInternals.triesOf(refused) != 2)))));
  }

  private static boolean isWithoutReason(IOException failure) {
    return Runtime.version().feature() < 24 && "RST_STREAM received".equals(failure.getMessage());
  }

  /** {@code Http1Exchange.cancelImpl}: {@link CancelOfAnotherTest}. */
  @Override
  protected boolean mayEndConnection(Throwable failure) {
    return failure instanceof IOException lost && JdkInternals.wasClosedHere(lost);
  }

  /** The same, of a GET: it goes again. */
  @Override
  protected int mayLose() {
    return 1;
  }

  @Override
  protected boolean hasOneConnection() {
    return true;
  }
}
