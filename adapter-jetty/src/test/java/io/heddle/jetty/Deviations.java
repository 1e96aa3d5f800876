package io.heddle.jetty;

/** Why rules of the kit are not kept. */
final class Deviations {
  static final String EARLY =
      "a redirect that comes while a file is being uploaded is not followed";
  static final String AUTHENTICATION = "a call hangs whose Authentication throws";

  private Deviations() {}
}
