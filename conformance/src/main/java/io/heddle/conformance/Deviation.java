package io.heddle.conformance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says, on an adapter's suite, that one rule is not kept there and why. The rule still runs, and
 * must fail; it is then reported as aborted, with the reason. Once it holds, it fails, so that no
 * deviation outlives its cause. An annotation that has deviations is one for all of them: suites of
 * several wires can share it.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(Deviation.List.class)
public @interface Deviation {

  /** The rule's number, such as {@code EX-01}. */
  String rule();

  /** Why the adapter does not keep it. */
  String reason();

  /**
   * What the rule fails with: a part of the text of the failure or of one of its causes. One of
   * several, where that depends on who is faster. Another failure is not excused.
   */
  String[] failure();

  /** All deviations of one suite. */
  @Target(ElementType.TYPE)
  @Retention(RetentionPolicy.RUNTIME)
  @interface List {

    Deviation[] value();
  }
}
