package io.heddle.ahc;

/** Why rules of the kit are not kept. */
final class Deviations {
  static final String SURPLUS = "what comes behind a response is taken for the next one";
  static final String EARLY =
      "a connection whose upload was answered early is used again before the upload has ended";
  static final String NO_BODY =
      "no body at all is taken for a whole one over HTTP/2, whatever its Content-Length says";
  static final String DEAD =
      "calls go on over a connection of HTTP/2 that has gone dead until it is closed";
  static final String REFUSED =
      "a call that the server, going away, did not look at fails where others share its connection";

  static final String HOOK = "a call whose hook throws an Error keeps its place";

  private Deviations() {}
}
