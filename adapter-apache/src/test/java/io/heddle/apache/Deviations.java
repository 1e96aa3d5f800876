package io.heddle.apache;

/** Why rules of the kit are not kept. */
final class Deviations {
  static final String SURPLUS =
      "the next call on a connection that brought more than its response fails with \"Unexpected response\"";
  static final String LENGTH =
      "a body that is not as long as its Content-Length is taken for a whole one over HTTP/2";
  static final String DEAD =
      "calls go on over a connection of HTTP/2 that has gone dead until it is closed";
  static final String REFUSED = "a call that the server refused is not sent again each time";

  private Deviations() {}
}
