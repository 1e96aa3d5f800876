package io.heddle.conformance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;

/** The test that proves one rule of {@code CONFORMANCE.md}. */
@Test
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Rule {

  /** The rule's number, such as {@code EX-01}. */
  String value();

  /** How long the rule may take in all, in seconds; a rule that takes longer hangs. */
  int limit() default 60;
}
