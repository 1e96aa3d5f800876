package io.heddle.bench;

import java.util.List;

/** The libraries that Heddle bridges. */
enum Library {
  APACHE,
  JETTY,
  AHC;

  /** The library's stock client first, then ours. */
  List<Contestant> contestants() {
    return switch (this) {
      case APACHE -> ApacheContestants.all();
      case JETTY -> JettyContestants.all();
      case AHC -> AhcContestants.all();
    };
  }
}
