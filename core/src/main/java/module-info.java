/** What every Heddle adapter shares; no runtime dependency. */
@SuppressWarnings("module") // core is compiled before those that it names
module io.heddle.core {
  requires static org.jspecify;
  requires static micrometer.core; // for CallMetrics alone
  requires static jdk.jfr; // without it no events are written

  exports io.heddle;
  exports io.heddle.core to
      io.heddle.ahc,
      io.heddle.apache,
      io.heddle.jdk,
      io.heddle.jetty,
      io.heddle.okhttp;
}
