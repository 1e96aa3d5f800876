package io.heddle.spring.boot;

/** When a client speaks HTTP/2. */
public enum Http2 {

  /**
   * Over TLS, if the server agrees; HTTP/1.1 without TLS. (The JDK's client asks without TLS too,
   * by an upgrade.) Jetty needs {@code jetty-http2-client-transport} and {@code
   * jetty-alpn-java-client} for it, and speaks HTTP/1.1 without them.
   */
  NEGOTIATE,

  /** Never: HTTP/1.1. */
  NEVER,

  /** Always, without asking, also without TLS; not with the JDK's client. */
  ALWAYS
}
