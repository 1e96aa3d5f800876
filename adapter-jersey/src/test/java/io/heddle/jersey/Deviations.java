package io.heddle.jersey;

/** Why rules of the kit are not kept. */
final class Deviations {
  static final String TRAILERS = "JAX-RS has no place for trailer fields, and Jersey drops them";

  static final String ERROR =
      "Apache closes the whole connection manager when an Error passes its execution chain";
  static final String HOOK = "a call whose filter or reader throws keeps its lease";

  private Deviations() {}
}
