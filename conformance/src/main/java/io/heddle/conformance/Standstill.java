package io.heddle.conformance;

/** Where a call can stand still, in the order in which a call gets there. */
enum Standstill {
  /** It waits for a connection, or a stream of HTTP/2, which another call has. */
  LEASE,
  /** It waits for the host's address. */
  LOOKUP,
  /** It waits for the connection. */
  CONNECT,
  /** It waits for the server's part of the TLS handshake. */
  HANDSHAKE,
  /** It waits for the server to want its body. */
  EXPECTATION,
  /** It waits for the server to take more of its body. */
  UPLOAD,
  /** It waits for the head of the response. */
  HEAD,
  /** It waits for more of the response's body, of which it has {@link Standing#READ} bytes. */
  BODY
}
