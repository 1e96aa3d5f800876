package io.heddle.bench;

import io.heddle.ahc.AhcDriver;
import io.heddle.apache.ApacheDriver;
import io.heddle.conformance.ClientDriver;
import io.heddle.jetty.JettyDriver;
import io.heddle.okhttp.OkHttpDriver;
import java.util.List;

/** The libraries that Heddle bridges. */
enum Library {
  APACHE,
  OKHTTP,
  JETTY,
  AHC;

  /** The kit's driver of our adapter. */
  ClientDriver driver() {
    return switch (this) {
      case APACHE -> new ApacheDriver();
      case OKHTTP -> new OkHttpDriver();
      case JETTY -> new JettyDriver();
      case AHC -> new AhcDriver();
    };
  }

  /** The library's stock client first, then ours. */
  List<Contestant> contestants() {
    return switch (this) {
      case APACHE -> ApacheContestants.all();
      case OKHTTP -> OkHttpContestants.all();
      case JETTY -> JettyContestants.all();
      case AHC -> AhcContestants.all();
    };
  }
}
