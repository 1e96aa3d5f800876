package io.heddle.bench.scenarios;

import java.io.Console;
import java.io.PrintStream;
import java.util.Locale;
import java.util.function.DoubleConsumer;

/** A line that tells how far something is: written over itself on a terminal, else just once. */
public final class ProgressLine implements DoubleConsumer {

  private static final int WIDTH = 30;

  private static final boolean TERMINAL = isTerminal();

  private final PrintStream out;
  private final String what;
  private boolean told;

  public ProgressLine(PrintStream out, String what) {
    this.out = out;
    this.what = what;
  }

  @Override
  public void accept(double done) {
    if (!TERMINAL) {
      if (!told) {
        told = true;
        out.println(what + " …");
      }
      return;
    }
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

  public static void clear(PrintStream out) {
    out.print(TERMINAL ? "\r" + " ".repeat(WIDTH + 50) + "\r" : System.lineSeparator());
    out.flush();
  }

  /** From JDK 22 on there is a console even where output goes to a file. */
  @SuppressWarnings("SystemConsoleNull") // before, there is none then
  private static boolean isTerminal() {
    Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (ReflectiveOperationException beforeJdk22) {
      return true;
    }
  }
}
