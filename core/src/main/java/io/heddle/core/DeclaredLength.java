package io.heddle.core;

/**
 * The length that a message declares of its body, against what there is of it. A message whose body
 * is shorter or longer than its Content-Length is malformed (RFC 9112, 6.3; RFC 9113, 8.1.1): its
 * bytes must not pass for a whole body.
 *
 * <p>For an engine that does not look at this itself. Whoever moves the bytes counts each piece
 * before it is handed on, and asks at the end whether this may be the end. For one thread.
 */
public final class DeclaredLength {

  private final long declared;
  private long counted;

  /**
   * Nothing is counted yet.
   *
   * @param declared bytes, as Content-Length says; negative if nothing is said: then any length is
   *     right
   */
  public DeclaredLength(long declared) {
    this.declared = declared;
  }

  /**
   * Counts so many more bytes.
   *
   * @return whether the body may have them; false if it is longer now than declared
   */
  public boolean admits(long bytes) {
    counted += bytes;
    return declared < 0 || counted <= declared;
  }

  /** Whether the body may end here: nothing is declared, or that is what was counted. */
  public boolean isReached() {
    return declared < 0 || counted == declared;
  }

  /** How many bytes are declared; negative if nothing is. */
  public long declared() {
    return declared;
  }

  /** How many bytes were counted. */
  public long counted() {
    return counted;
  }

  /** What is wrong, for the message of a failure; meaningful if one of the two above is false. */
  @Override
  public String toString() {
    String found = counted > declared ? "at least " + counted : String.valueOf(counted);
    return "Content-Length is " + declared + ", and the body has " + found + " bytes";
  }
}
