package io.heddle.bench;

/** Which contestants there can be, which a size has, and in words why others are not. */
final class Matrix {

  /** The words for what a size leaves out. */
  static final String FULL_ONLY = "only in the full size";

  /** The words for what a run was too short for. */
  static final String NOT_REACHED = "not reached: the run was interrupted";

  private Matrix() {}

  /** Why this is not to be had, whatever the size; empty if it is. */
  static String impossible(Library library, Mode mode, Wire wire) {
    if (library.all().stream().anyMatch(each -> each.mode() == mode && each.wire() == wire)) {
      return "";
    }
    if (mode == Mode.PEER) {
      return library.label() + " has no bridge of its own from a blocking interface to its engine";
    }
    if (mode == Mode.HEDDLE) {
      return "Heddle has no bridge for it: send() parks by itself";
    }
    return library.label() + "'s blocking client does not speak " + wire;
  }

  /** Whether the size has it; the smaller ones leave out what says least. */
  static boolean isIn(Size size, Contestant contestant) {
    if (size == Size.FULL) {
      return true;
    }
    boolean isJdk = contestant.library() == Library.JDK;
    return switch (contestant.mode()) {
      case HEDDLE -> true;
      case ASYNC -> !isJdk && contestant.library() != Library.OKHTTP; // those say least of a limit
      case STOCK_VIRTUAL -> isJdk || contestant.wire() == Wire.HTTP_1;
      case STOCK_PLATFORM, PEER -> contestant.wire() == Wire.HTTP_1;
    };
  }
}
