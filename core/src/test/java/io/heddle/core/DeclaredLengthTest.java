package io.heddle.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DeclaredLengthTest {

  @Test
  void aBodyMayEndWhereItWasDeclaredTo() {
    DeclaredLength length = new DeclaredLength(1_000);
    assertTrue(length.admits(600));
    assertFalse(length.isReached(), "600 of 1,000");
    assertTrue(length.admits(400));
    assertTrue(length.isReached());
  }

  @Test
  void aBodyThatIsLongerIsNotAdmitted() {
    DeclaredLength length = new DeclaredLength(10);
    assertTrue(length.admits(10));
    assertFalse(length.admits(1));
    assertFalse(length.isReached());
    assertEquals("Content-Length is 10, and the body has at least 11 bytes", length.toString());
  }

  @Test
  void aBodyThatIsDeclaredAndDoesNotComeIsShort() {
    DeclaredLength length = new DeclaredLength(1_000);
    assertFalse(length.isReached());
    assertEquals("Content-Length is 1000, and the body has 0 bytes", length.toString());
  }

  @Test
  void anEmptyBodyIsRightIfDeclared() {
    DeclaredLength length = new DeclaredLength(0);
    assertTrue(length.isReached());
    assertFalse(length.admits(1));
  }

  @Test
  void whereNothingIsDeclaredAnyLengthIsRight() {
    DeclaredLength length = new DeclaredLength(-1);
    assertTrue(length.isReached());
    assertTrue(length.admits(Long.MAX_VALUE / 2));
    assertTrue(length.isReached());
  }
}
