package io.heddle.pinning;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/**
 * Fails a JUnit test if anything pinned a virtual thread while it ran, and says which frame did.
 *
 * <p>On a class it holds for each of its tests; on a method it takes the place of the class's. For
 * all tests of a suite there is a switch: see {@link NoPinningExtension}. What is recorded is the
 * test method, each repetition, argument set or dynamic test on its own, without
 * {@code @BeforeEach} and {@code @AfterEach}. A test that fails by itself fails as it would without
 * this, with the pins as a suppressed exception.
 *
 * <p>A test method that wants to look for itself takes a {@link PinningRecorder} as a parameter. It
 * is the one that records this test; {@link PinningRecorder#soFar} tells what there is, {@link
 * PinningRecorder#stop} ends what is recorded. The annotation still judges what was recorded: allow
 * {@link #ANY} number of pins to judge alone. Such a test has no {@link #warmUps}, since what it
 * asserts would be asserted of them too, and it is no {@code @TestFactory}.
 *
 * <pre>{@code
 * @Test
 * @NoPinning(atMost = NoPinning.ANY)
 * void pinsOnceForAll(PinningRecorder recorder) {
 *   orders.fetch(7);
 *   assertEquals(1, recorder.soFar().events().size());
 *   orders.fetch(8);
 *   assertEquals(1, recorder.soFar().events().size());
 * }
 * }</pre>
 *
 * <p>A recording is of the whole JVM, so the test runs alone where JUnit runs tests in parallel.
 *
 * @see PinningRecorder
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(NoPinningExtension.class)
@SuppressWarnings("exports") // a user who has no JUnit never names this type
@ResourceLock(Resources.GLOBAL)
public @interface NoPinning {

  /** As {@link #atMost}: any number of pins. */
  int ANY = Integer.MAX_VALUE;

  /**
   * How many pins a test may have, without those that are {@linkplain #ignoring ignored}: for a
   * number that is known and must not grow.
   */
  int atMost() default 0;

  /**
   * How many times to run the body of the test, on the same instance and with the same arguments,
   * before the run that is recorded: the first use of classes pins on every JDK. A body that must
   * not run twice does its warm-up in {@code @BeforeEach} instead.
   */
  int warmUps() default 0;

  /**
   * Waits to enter {@code synchronized} that are shorter than this many milliseconds are no matter;
   * with 0 each one counts. For JDK 21 to 23, where they hold the carrier: see {@link
   * PinningReport#ignoringContention}.
   */
  int contentionMillis() default 20;

  /** Pins that are no matter. */
  Ignored[] ignoring() default {};

  /**
   * Pins that are no matter, and why: see {@link PinningReport#ignoring}.
   *
   * <p>Fails if it matches nothing, since an exception that has outlived its cause would hide the
   * next pin at that place. On a method it must match in each run of it; on a class in one of the
   * tests that it holds for, which is looked at after all of them, unless one has failed.
   */
  @Documented
  @Retention(RetentionPolicy.RUNTIME)
  @Target({})
  @interface Ignored {

    /** A regular expression to be found in a frame of the stack. */
    String frame();

    /** The reason; not blank. */
    String because();

    /**
     * Whether it may match nothing: for what pins once in a JVM, by chance, or on one JDK and not
     * on another.
     */
    boolean sometimes() default false;
  }
}
