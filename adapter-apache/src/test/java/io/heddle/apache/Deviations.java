package io.heddle.apache;

/** Why rules of the kit are not kept. */
final class Deviations {
  static final String ERROR =
      "Apache closes the whole connection manager when an Error passes its execution chain";

  private Deviations() {}
}
