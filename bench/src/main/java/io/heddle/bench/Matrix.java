package io.heddle.bench;

/** Which contestants there can be, which a size has, and in words why others are not. */
final class Matrix {

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

  /** Whether the size has it; the default leaves out what says least. */
  static boolean isIn(Size size, Contestant contestant) {
    if (size == Size.FULL || contestant.wire() == Wire.HTTP_1) {
      return true;
    }
    return switch (contestant.mode()) {
      case HEDDLE, ASYNC -> true;
      case STOCK_VIRTUAL -> contestant.library() == Library.JDK;
      case STOCK_PLATFORM, PEER -> false;
    };
  }
}
