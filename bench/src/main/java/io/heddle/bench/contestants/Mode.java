package io.heddle.bench.contestants;

/** How a client is used, and on which threads. */
public enum Mode {
  /** The library's own blocking interface, a platform thread for each call. */
  STOCK_PLATFORM("stock on platform threads", "stock, platform threads"),
  /** The library's own blocking interface, a virtual thread for each call. */
  STOCK_VIRTUAL("stock", "stock, virtual threads"),
  /** Heddle, a virtual thread for each call. */
  HEDDLE("with Heddle", "Heddle, virtual threads"),
  /** The library's callbacks, with no thread that waits: the limit. */
  ASYNC("async", "async callbacks"),
  /** The library's own blocking interface over its asynchronous engine, if it has that. */
  PEER("peer bridge", "peer bridge, virtual threads");

  private final String suffix;
  private final String label;

  Mode(String suffix, String label) {
    this.suffix = suffix;
    this.label = label;
  }

  /** What a contestant's name says after the library. */
  public String suffix() {
    return suffix;
  }

  /** What a legend says. */
  public String label() {
    return label;
  }
}
