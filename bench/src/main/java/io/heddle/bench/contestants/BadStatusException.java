package io.heddle.bench.contestants;

import java.io.IOException;

/** A response that is no success. */
final class BadStatusException extends IOException {
  private static final long serialVersionUID = 1;

  BadStatusException(int status) {
    super("status " + status);
  }

  /** Throws this, unless it is a success. */
  static void check(int status) throws BadStatusException {
    if (status / 100 != 2) {
      throw new BadStatusException(status);
    }
  }
}
