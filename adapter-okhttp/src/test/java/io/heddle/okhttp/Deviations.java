package io.heddle.okhttp;

/** What OkHttp itself does not do, on whatever thread it runs. */
final class Deviations {

  static final String LENGTH_OF_304 =
      "OkHttp waits for the body that the Content-Length of a 304 speaks of";

  static final String NO_CONTINUE =
      "OkHttp waits for the 100 until its read timeout, and then the call fails";

  static final String POST_AGAIN =
      "OkHttp sends a POST again whose connection broke, if its body is in memory; to be switched"
          + " off with retryOnConnectionFailure(false)";

  static final String SURPLUS = "OkHttp takes what comes behind a response for the next one";
  static final String DEAD =
      "OkHttp leaves a connection of HTTP/2 that has gone dead a second after the first timeout,"
          + " not at once";

  private Deviations() {}
}
