package io.heddle.conformance;

/** How requests and responses travel between client and server. */
public enum Wire {
  /** HTTP/1.1 over TCP. */
  HTTP_1_1,
  /** HTTP/1.1 over TLS. */
  HTTP_1_1_TLS,
  /** HTTP/2 over TCP, with prior knowledge. */
  H2C,
  /** HTTP/2 over TLS, agreed on by ALPN. */
  H2_TLS;

  /** Whether the connection is encrypted. */
  public boolean isTls() {
    return this == HTTP_1_1_TLS || this == H2_TLS;
  }

  /** Whether exchanges share a connection at the same time. */
  public boolean isMultiplexed() {
    return this == H2C || this == H2_TLS;
  }

  /** The scheme of a URI: {@code http} or {@code https}. */
  public String scheme() {
    return isTls() ? "https" : "http";
  }
}
