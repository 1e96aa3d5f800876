package io.heddle.bench;

/** How much is measured. */
enum Size {
  /** A minute or two, to see that it works; the figures mean little. */
  SMOKE,
  /** Under ten minutes with the build. */
  DEFAULT,
  /** As the scenarios have it, several times: hours. */
  FULL;

  /** One of these, by size. */
  <T> T pick(T smoke, T usual, T full) {
    return switch (this) {
      case SMOKE -> smoke;
      case DEFAULT -> usual;
      case FULL -> full;
    };
  }

  /** What a reader calls it. */
  String label() {
    return pick("smoke size", "default size", "full size");
  }
}
