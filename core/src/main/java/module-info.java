/** What every Heddle adapter shares; no runtime dependency. */
module io.heddle.core {
  requires static org.jspecify;

  exports io.heddle;
}
