package io.heddle.bench.contestants;

import java.io.IOException;
import java.io.InputStream;

/** Reads a stream piece by piece, and keeps nothing. */
final class Drain {

  private static final int PIECE = 64 * 1024;

  private Drain() {}

  static void toEnd(InputStream in) throws IOException {
    byte[] piece = new byte[PIECE];
    while (in.read(piece, 0, PIECE) >= 0) {
      // next
    }
  }
}
