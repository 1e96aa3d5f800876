package io.heddle.bench;

import java.util.List;

/** The libraries that Heddle bridges. */
enum Library {
  APACHE,
  OKHTTP,
  JETTY,
  AHC;

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
