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

  private Deviations() {}
}
