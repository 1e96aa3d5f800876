package io.heddle.bench.scenarios;

import java.net.URI;
import java.util.List;

/** An embedded web server on which a service runs, for as long as its JVM does. */
public interface FrontServer {

  /** The web servers there are. */
  enum Kind {
    JETTY("Jetty"),
    TOMCAT("Tomcat"),
    UNDERTOW("Undertow");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    public String label() {
      return label;
    }

    /**
     * Starts one.
     *
     * @param poolSize of platform threads; 0 for a virtual thread for each request
     */
    FrontServer start(FrontWork work, int poolSize) throws Exception {
      return switch (this) {
        case JETTY -> new JettyFront(work, poolSize);
        case TOMCAT -> new TomcatFront(work, poolSize);
        case UNDERTOW -> new UndertowFront(work, poolSize);
      };
    }
  }

  /** Where it listens. */
  List<URI> uris();
}
