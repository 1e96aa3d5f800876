package io.heddle.bench.scenarios;

/** How much is measured. */
public enum Size {
  /** A minute or two, to see that it works; the figures mean little. */
  SMOKE,
  /** A quarter of an hour or so. */
  DEFAULT,
  /** What the table of promises needs, and no more: some 40 minutes. */
  PROMISES,
  /** As the scenarios have it, several times: hours. */
  FULL;

  /** One of these, by size; for the promises it is the usual one. */
  <T> T pick(T smoke, T usual, T full) {
    return switch (this) {
      case SMOKE -> smoke;
      case DEFAULT, PROMISES -> usual;
      case FULL -> full;
    };
  }

  /** What a reader calls it. */
  public String label() {
    return switch (this) {
      case SMOKE -> "smoke size";
      case DEFAULT -> "default size";
      case PROMISES -> "what was promised";
      case FULL -> "full size";
    };
  }
}
