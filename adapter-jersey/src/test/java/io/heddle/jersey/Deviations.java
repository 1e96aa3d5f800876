package io.heddle.jersey;

/** Why rules of the kit are not kept. */
final class Deviations {
  static final String TRAILERS = "JAX-RS has no place for trailer fields, and Jersey drops them";

  // Of heddle-apache, until it keeps them.
  static final String DEAD =
      "calls go on over a connection of HTTP/2 that has gone dead until it is closed";
  static final String REFUSED = "a call that the server refused is not sent again each time";

  private Deviations() {}
}
