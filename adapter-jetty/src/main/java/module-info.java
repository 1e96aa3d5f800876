/** Jetty's HttpClient with blocking calls and streams, for virtual threads. */
module io.heddle.jetty {
  requires transitive io.heddle.core;
  requires transitive org.eclipse.jetty.client;
  requires static org.jspecify;

  // HTTP/2, for those who have it.
  requires static org.eclipse.jetty.http2.client.transport;

  exports io.heddle.jetty;
}
