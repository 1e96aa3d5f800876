package io.heddle.apache;

/** Why rules of the kit are not kept. */
final class Deviations {
  static final String DEAD =
      "calls go on over a connection of HTTP/2 that has gone dead until it is closed";
  static final String REFUSED = "a call that the server refused is not sent again each time";

  static final String ERROR =
      "Apache closes the whole connection manager when an Error passes its execution chain";

  private Deviations() {}
}
