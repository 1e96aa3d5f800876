package io.heddle.jersey;

import io.heddle.conformance.Deviation;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Why rules of the kit are not kept. */
final class Deviations {
  private static final String TRAILERS =
      "JAX-RS has no place for trailer fields, and Jersey drops them";

  @Deviation(rule = "EX-12", reason = TRAILERS, failure = "but was: <{}>")
  @Deviation(rule = "CA-09", reason = TRAILERS, failure = "expected: <1> but was: <0>")
  @Retention(RetentionPolicy.RUNTIME)
  @interface OnEachWire {}

  private Deviations() {}
}
