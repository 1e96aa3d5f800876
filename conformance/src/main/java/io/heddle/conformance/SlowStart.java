package io.heddle.conformance;

/** A class that is slow to initialize; see {@link HeldCarrier}. */
final class SlowStart {

  static {
    HeldCarrier.waitHere();
  }

  private SlowStart() {}
}
