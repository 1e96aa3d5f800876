package io.heddle.jetty;

/** Why rules of the kit are not kept. */
final class Deviations {
  static final String EARLY =
      "a redirect that comes while a file is being uploaded is not followed";
  static final String LENGTH =
      "the reader of a body that is not as long as its Content-Length waits for ever over HTTP/2";
  static final String DEAD =
      "calls go on over a connection of HTTP/2 that has gone dead until it is closed";
  static final String REFUSED = "a call that the server refused is sent again only once";

  static final String AUTHENTICATION = "a call hangs whose Authentication throws";
  static final String INHERITED =
      "threads of the executor inherit from the caller for whom they were made";

  private Deviations() {}
}
