package io.heddle.bench;

import java.io.PrintStream;
import java.util.Locale;
import java.util.function.DoubleConsumer;

/** A line that tells how far something is, written over itself. */
final class ProgressLine implements DoubleConsumer {

  private static final int WIDTH = 30;

  private final PrintStream out;
  private final String what;

  ProgressLine(PrintStream out, String what) {
    this.out = out;
    this.what = what;
  }

  @Override
  public void accept(double done) {
    int full = (int) Math.round(done * WIDTH);
    out.printf(
        Locale.ROOT,
        "\r[%s%s] %3.0f %% %-40s",
        "=".repeat(full),
        " ".repeat(WIDTH - full),
        done * 100,
        what);
    out.flush();
  }

  static void clear(PrintStream out) {
    out.print("\r" + " ".repeat(WIDTH + 50) + "\r");
    out.flush();
  }
}
