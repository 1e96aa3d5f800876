package io.heddle.jdk;

import io.heddle.conformance.SoakSuite;
import io.heddle.conformance.Wire;
import io.heddle.pinning.PinningReport;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

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

  /** {@link CallBeyondGoAwayTest}. */
  @Override
  protected boolean mayMissGoAway() {
    return true;
  }

  /** Of a stream that was asked for twice: {@code RequestPublishers.InputStreamPublisher}. */
  @Override
  protected boolean isOfSecondAttempt(Throwable failure) {
    return "streamSupplier returned null".equals(failure.getMessage());
  }

  private static boolean isWithoutReason(IOException failure) {
    return Runtime.version().feature() < 24 && "RST_STREAM received".equals(failure.getMessage());
  }

  /**
   * {@code Http1Exchange.cancelImpl}: {@link CancelOfAnotherTest}. Who is about to write then finds
   * the channel closed, which it is by this side alone.
   */
  @Override
  protected boolean mayEndConnection(Wire wire, Throwable failure) {
    return !wire.isMultiplexed()
        && failure instanceof IOException lost
        && (JdkInternals.wasClosedHere(lost) || isOfClosedChannel(lost));
  }

  private static boolean isOfClosedChannel(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
        .anyMatch(ClosedChannelException.class::isInstance);
  }

  /** Over HTTP/2 not yet: docs/soak.md, Open. */
  @Override
  protected boolean tellsEnds(Wire wire) {
    return !wire.isMultiplexed();
  }

  /** The same, of a GET: it goes again. */
  @Override
  protected int mayLose() {
    return 1;
  }

  /** See {@link JdkDriver}. */
  @Override
  protected @Nullable String known(Throwable failure) {
    return failure instanceof SSLHandshakeException
            && "Remote host terminated the handshake".equals(failure.getMessage())
        ? "the end of a connection is told as one of its handshake"
        : null;
  }

  /**
   * Where a handshake ends without a protocol, {@code Http2ClientImpl} notes the host as one that
   * has no HTTP/2, for as long as the client lives. The first frame that the server sends is then
   * taken for the head of a response.
   */
  @Override
  protected boolean mayBreakProtocol(String told) {
    return told.contains("Unexpected HTTP/1.x request")
        || told.startsWith("parsing HTTP/1.1 status line");
  }

  /** {@link JdkCall}'s alarm interrupts the caller: docs/jdk.md, Deadlines. */
  @Override
  protected boolean mayTakeInterruptForItsOwn() {
    return true;
  }

  /** Of a caller that is interrupted: {@code HttpClientImpl.send} cancels the call. */
  @Override
  protected PinningReport withoutKnownPins(Wire wire, PinningReport pins) {
    return Runtime.version().feature() < 24
        ? pins.ignoring(
            "jdk\\.internal\\.net\\.http\\.PlainHttpConnection\\.close\\(",
            "before JDK 24 a channel is closed in a monitor, and waits for a read or a write")
        : pins;
  }

  @Override
  protected int timers() {
    return JdkTimer.size();
  }

  @Override
  protected boolean hasOneConnection() {
    return true;
  }
}
