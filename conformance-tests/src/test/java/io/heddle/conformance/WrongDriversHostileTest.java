package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The calls of hostile servers find drivers that are wrong on purpose. */
class WrongDriversHostileTest {

  /** A driver, what it does not keep, and what is said of it, or parts of that. */
  record Wrong(WrappedDriver driver, Wire wire, String name, String message) {

    @Override
    public String toString() {
      return driver.getClass().getSimpleName() + ", " + name;
    }
  }

  static List<Wrong> wrong() {
    return List.of(
        new Wrong(
            new WrongDrivers.FollowsAnything(),
            Wire.HTTP_1_1,
            "REDIRECTS_WITHOUT_AN_END",
            "the call ends| requests"),
        new Wrong(
            new WrongDrivers.FollowsAnything(),
            Wire.HTTP_1_1,
            "REDIRECTS_TO_OTHER_SCHEMES",
            "the call ends|requests, redirected"),
        new Wrong(
            new WrongDrivers.FollowsAnything(),
            Wire.HTTP_1_1,
            "CREDENTIALS_OF_ANOTHER_ORIGIN",
            "credentials of another origin"),
        new Wrong(
            new WrongDrivers.SplitsFields(),
            Wire.HTTP_1_1,
            "FIELD_THAT_IS_TWO",
            "a field that was in another's value"),
        new Wrong(
            new WrongDrivers.TellsWhatWasSent(), Wire.HTTP_1_1, "SECRETS_IN_WORDS", "a secret:"),
        new Wrong(
            new WrongDrivers.LogsWhatItAsks(),
            Wire.HTTP_1_1,
            "SECRETS_IN_WORDS",
            "INFO: asks for http"),
        new Wrong(new WrongDrivers.SaysWhatItAsks(), Wire.HTTP_1_1, "SECRETS_IN_WORDS", " asks ["),
        new Wrong(
            new WrongDrivers.RecordsWhomItAsks(),
            Wire.HTTP_1_1,
            "SECRETS_IN_WORDS",
            "authority = \"[penelope:"));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void isFoundOut(Wrong wrong) throws Exception {
    Throwable failure =
        assertThrows(
            Throwable.class, () -> HostileSuite.run(wrong.driver(), wrong.wire(), wrong.name()));
    String said = Soak.Round.trace(failure);
    assertTrue(Stream.of(wrong.message().split("\\|", -1)).anyMatch(said::contains), said);
  }
}
