/** The JDK's HttpClient with deadlines over whole calls, and waits in place of failures. */
module io.heddle.jdk {
  requires transitive io.heddle.core;
  requires transitive java.net.http;
  requires static org.jspecify;

  exports io.heddle.jdk;
}
