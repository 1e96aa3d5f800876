package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The comparison with a library's own client, which here is the kit's reference client. */
class RedirectSuiteTest {

  /** It keeps the scheme that it was made for. */
  private static final List<String> SCHEMES = List.of("http to http", "https to https");

  private static final class Compared extends RedirectSuite {

    Compared(ClientDriver driver) {
      super(driver);
    }

    @Override
    protected int stock(URI uri, String field, String value) throws Exception {
      return get(new ReferenceDriver(), uri, field, value);
    }

    @Override
    protected End expected(String field, Wire from, Wire to) {
      return field.equals("Authorization") ? End.DROPPED : End.SENT;
    }
  }

  @TestFactory
  Stream<DynamicTest> sameClientDoesTheSame() {
    return new Compared(new ReferenceDriver())
        .redirected()
        .filter(test -> SCHEMES.contains(test.getDisplayName()));
  }

  @Test
  void driverThatSendsMoreIsFoundOut() {
    DynamicTest first =
        new Compared(new WrongDrivers.FollowsAnything()).redirected().findFirst().orElseThrow();
    AssertionError found =
        assertThrows(AssertionError.class, () -> first.getExecutable().execute());
    String said = String.valueOf(found.getMessage());
    assertTrue(said.contains("Authorization=Basic d2FycA==: Basic x"), said);
  }
}
