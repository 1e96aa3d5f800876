package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A soak finds drivers that are wrong on purpose, each for what is wrong with it. */
class WrongDriversSoakTest {

  /** A driver, and what the soak says of it, or parts of that. */
  record Wrong(WrappedDriver driver, Wire wire, String message) {

    @Override
    public String toString() {
      return driver.getClass().getSimpleName();
    }
  }

  static List<Wrong> wrong() {
    return List.of(
        wrong(Wire.HTTP_1_1, new WrongDrivers.LeaksOnInterrupt(), "leases: "),
        wrong(
            Wire.H2_TLS,
            new WrongDrivers.LeaksOnInterrupt(),
            "has ended, and the server does not know"),
        wrong(Wire.HTTP_1_1, new WrongDrivers.LosesTheFlag(), "the interrupt is lost"),
        wrong(Wire.HTTP_1_1, new WrongDrivers.ThrowsTheWrongType(), "fails with what it may not"),
        wrong(
            Wire.HTTP_1_1,
            new WrongDrivers.SendsAlthoughInterrupted(),
            "is sent, although its caller was interrupted before"),
        wrong(
            Wire.HTTP_1_1,
            new WrongDrivers.ForgetsTheDeadlineAtTheHead(),
            "hangs; all threads are|ms after its bound"),
        wrong(Wire.H2C, new WrongDrivers.CancelsSiblings(), "fails with what it may not"),
        wrong(Wire.HTTP_1_1, new WrongDrivers.SendsPostsTwice(), "a POST arrives 2 times"),
        wrong(
            Wire.HTTP_1_1,
            new WrongDrivers.TakesTruncatedForWhole(),
            "bytes are taken for a whole body of|succeeds, which it cannot"),
        wrong(
            Wire.HTTP_1_1,
            new WrongDrivers.EndsBrokenUploads(),
            "a body that was cut is taken for a whole one"),
        wrong(
            Wire.HTTP_1_1, new WrongDrivers.KeepsItsCalls(), "bodies of calls that have ended are"),
        wrong(Wire.HTTP_1_1, new WrongDrivers.LeavesItsOwn(), "left-behind"),
        wrong(Wire.HTTP_1_1, new WrongDrivers.LogsErrors(), "that was not to be expected"),
        wrong(Wire.HTTP_1_1, new WrongDrivers.FailsWhereNobodyLooks(), "nobody looks"),
        wrong(Wire.H2C, new WrongDrivers.BreaksTheProtocol(), "the client's fault: "),
        wrong(
            Wire.H2_TLS,
            new WrongDrivers.GivesUpUploads(),
            "fails, and the server did what it should"),
        wrong(Wire.HTTP_1_1, new WrongDrivers.TakesItsTimeWhenInterrupted(), "ms after its bound"),
        wrong(Wire.HTTP_1_1, new WrongDrivers.TakesItsTimeToClose(), "ms after its bound"),
        wrong(Wire.HTTP_1_1, new WrongDrivers.MixesUpHeads(), "the response is that of call"),
        wrong(Wire.H2_TLS, new WrongDrivers.RefusesDeadlines(), "is given up, and neither its"),
        wrong(Wire.H2_TLS, new WrongDrivers.DropsEarlyAnswers(), "is given up, and neither its"),
        wrong(Wire.H2_TLS, new WrongDrivers.BlamesTheServer(), "is given up, and neither its"),
        wrong(Wire.HTTP_1_1, new WrongDrivers.SendsAllBytesTwice(), "a POST arrives 2 times"),
        wrong(Wire.HTTP_1_1, new WrongDrivers.LogsErrorsAsNetty(), "thrown by a listener"),
        wrong(Wire.H2_TLS, new WrongDrivers.PinsWhenCut(), "HeldCarrier"),
        wrong(Wire.HTTP_1_1, new WrongDrivers.TellsTwice(), "events tell of calls that have"),
        wrong(Wire.HTTP_1_1, new WrongDrivers.SaysNothingOfItsCalls(), "says of its calls"),
        wrong(Wire.HTTP_1_1, new WrongDrivers.TimesOutEarly(), "times out before its time"));
  }

  /**
   * Which caller is first is not drawn, so a soak may miss what another finds; and it may end with
   * what else such a driver does.
   */
  @ParameterizedTest
  @MethodSource("wrong")
  void isFoundOut(Wrong wrong) throws Exception {
    List<String> told = List.of(wrong.message().split("\\|", -1));
    String said = "";
    try {
      for (int i = 0; i < 5 && told.stream().noneMatch(said::contains); i++) {
        Throwable failure = found(wrong);
        said = failure == null ? "" : Soak.Round.trace(failure);
      }
    } finally {
      wrong.driver().cleanUp();
    }
    assertTrue(told.stream().anyMatch(said::contains), said);
    assertTrue(said.contains("; again: -D" + Soak.SEED), said);
  }

  private static @Nullable Throwable found(Wrong wrong) {
    SoakSuite soak =
        new SoakSuite(wrong.driver()) {
          @Override
          protected boolean mayPostAgain() {
            return wrong.driver() instanceof WrongDrivers.SendsAllBytesTwice;
          }

          @Override
          protected boolean mayLog(LogRecord logged) {
            return isOfClosedLoops(logged);
          }
        };
    try {
      soak.run(wrong.wire());
      return null;
    } catch (Throwable t) {
      return t;
    }
  }

  private static Wrong wrong(Wire wire, WrappedDriver driver, String message) {
    return new Wrong(driver, wire, message);
  }
}
