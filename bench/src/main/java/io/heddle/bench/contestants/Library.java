package io.heddle.bench.contestants;

import java.net.Proxy;
import java.util.List;

/** The clients that are compared. {@link #JERSEY} is Apache's client behind JAX-RS. */
public enum Library {
  APACHE("Apache"),
  OKHTTP("OkHttp"),
  JETTY("Jetty"),
  AHC("AHC"),
  JDK("JDK"),
  JERSEY("Jersey");

  /** Those that have figures of their own. Jersey is only asked how its calls end. */
  public static final List<Library> MEASURED = List.of(APACHE, OKHTTP, JETTY, AHC, JDK);

  private final String label;

  Library(String label) {
    this.label = label;
  }

  public String label() {
    return label;
  }

  /** Whether its own settings know such proxies. */
  public boolean knows(Proxy.Type type) {
    return this != JDK || type != Proxy.Type.SOCKS;
  }

  /** What the main job compares: the library's stock client on virtual threads first, then ours. */
  public List<Contestant> contestants() {
    return all().stream()
        .filter(each -> each.mode() == Mode.STOCK_VIRTUAL || each.mode() == Mode.HEDDLE)
        .filter(each -> this == JDK || isInMainJob(each))
        .toList();
  }

  /** Stock HTTP/2 is in the main job for OkHttp alone, and where it does not stall. */
  private boolean isInMainJob(Contestant contestant) {
    return contestant.wire() == Wire.HTTP_1
        || contestant.isOurs()
        || (this == OKHTTP && OkHttpContestants.STOCK_HTTP2_ENDS);
  }

  /** Every way in which the bench can use it. */
  public List<Contestant> all() {
    return switch (this) {
      case APACHE -> ApacheContestants.all();
      case OKHTTP -> OkHttpContestants.all();
      case JETTY -> JettyContestants.all();
      case AHC -> AhcContestants.all();
      case JDK -> JdkContestants.all();
      case JERSEY -> JerseyContestants.all();
    };
  }
}
