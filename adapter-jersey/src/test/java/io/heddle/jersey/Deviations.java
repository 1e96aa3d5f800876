package io.heddle.jersey;

/** Why rules of the kit are not kept. */
final class Deviations {
  static final String TRAILERS = "JAX-RS has no place for trailer fields, and Jersey drops them";

  private Deviations() {}
}
