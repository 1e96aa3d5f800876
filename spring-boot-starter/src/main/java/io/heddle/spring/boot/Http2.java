package io.heddle.spring.boot;

/** When a client uses HTTP/2. */
public enum Http2 {

  /**
   * Over TLS if the server supports it; HTTP/1.1 without TLS. (The JDK's client also asks for an
   * upgrade without TLS.) Jetty needs {@code jetty-http2-client-transport} and {@code
   * jetty-alpn-java-client}, and uses HTTP/1.1 without them.
   */
  NEGOTIATE,

  /** Never: HTTP/1.1. */
  NEVER,

  /** Always, without negotiation, also without TLS. Not with the JDK's client. */
  ALWAYS
}
