/** Apache's classic HTTP client on Apache's own asynchronous engine, for virtual threads. */
module io.heddle.apache {
  requires transitive io.heddle.core;
  requires transitive org.apache.httpcomponents.client5.httpclient5;
  requires transitive org.apache.httpcomponents.core5.httpcore5;
  requires transitive org.apache.httpcomponents.core5.httpcore5.h2;
  requires static org.jspecify;

  // Apache's jars do not say themselves what they need.
  requires java.security.jgss;
  requires jdk.net;
  requires org.slf4j;

  exports io.heddle.apache;
}
