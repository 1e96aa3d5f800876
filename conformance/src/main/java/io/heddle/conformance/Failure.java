package io.heddle.conformance;

/** What can go wrong with a call. A driver says which exceptions of its library mean which. */
public enum Failure {
  /** Nobody listens at the port. */
  REFUSED,
  /** The library's own connect timeout. */
  CONNECT_TIMEOUT,
  /** The library's own timeout for a connection or stream from the pool. */
  LEASE_TIMEOUT,
  /** The library's own timeout while nothing comes from the server. */
  READ_TIMEOUT,
  /** The deadline over the whole call. */
  DEADLINE,
  /** The caller was interrupted. */
  INTERRUPTED,
  /** Another thread called {@link PreparedCall#cancel()}. */
  CANCELLED,
  /** The connection ended, by reset or close, before the head of the response. */
  RESET_BEFORE_HEAD,
  /** The connection was reset within the body. */
  RESET_IN_BODY,
  /** The connection was closed in good order, but before the end of the body. */
  TRUNCATED,
  /** The body of the response is not as long as the response says. */
  MALFORMED,
  /** The server answered with something that is not HTTP. */
  GARBAGE,
  /** The head of the response is longer than the client is ready to take. */
  OVERSIZED_HEAD,
  /** The server's certificate is not trusted, or is for another host. */
  UNTRUSTED,
  /** The host's name is not known. */
  UNKNOWN_HOST,
  /** HTTP/2: the server refused the stream, and more, with GOAWAY. */
  GOAWAY,
  /** HTTP/2: the server reset the stream, and said that it has processed nothing of it. */
  REFUSED_STREAM,
  /** HTTP/2: the server reset the stream. */
  STREAM_RESET,
  /** The client is closed, or was closed while the call ran. */
  CLOSED
}
