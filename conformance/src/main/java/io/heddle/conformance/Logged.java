package io.heddle.conformance;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Hears what is logged to {@code java.util.logging}, by whomever, as it would be printed. */
final class Logged extends Handler implements AutoCloseable {

  private final Queue<String> lines = new ConcurrentLinkedQueue<>();
  private final SimpleFormatter format = new SimpleFormatter();

  private Logged() {}

  /** Hears from now on, until it is closed. */
  static Logged start() {
    Logged logged = new Logged();
    Logger.getLogger("").addHandler(logged);
    return logged;
  }

  /** With the traces of what was thrown. */
  List<String> lines() {
    return List.copyOf(lines);
  }

  @Override
  public void publish(LogRecord logged) {
    lines.add(format.format(logged));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    Logger.getLogger("").removeHandler(this);
  }
}
