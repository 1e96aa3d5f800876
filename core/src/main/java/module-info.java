/** What every Heddle adapter shares; no runtime dependency. */
module io.heddle.core {
  requires static org.jspecify;
  requires static micrometer.core; // for CallMetrics alone
  requires static jdk.jfr; // without it no events are written

  exports io.heddle;
}
