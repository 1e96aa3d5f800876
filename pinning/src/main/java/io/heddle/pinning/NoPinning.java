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
 * Fails a JUnit test if a virtual thread was pinned while it ran, and names the stack frame.
 *
 * <p>On a class, the annotation applies to each of its tests; on a method, it replaces that of the
 * class. {@link NoPinningExtension} applies it to a whole suite. Each repetition, argument set and
 * dynamic test of the test method is recorded on its own, without {@code @BeforeEach} and
 * {@code @AfterEach}. A test that fails for another reason fails with that reason, and has the pins
 * as a suppressed exception.
 *
 * <p>A recording covers the whole JVM. JUnit therefore runs the test alone where it runs tests in
 * parallel.
 *
 * <p>A test method can inspect its own recording: it takes a {@link PinningRecorder} as a
 * parameter. {@link PinningRecorder#soFar} returns what was recorded so far, and {@link
 * PinningRecorder#stop} ends the recording. The annotation still checks the limit; allow {@link
 * #ANY} number of pins to check only in the test. Such a test cannot have {@link #warmUps}, because
 * its assertions would apply to them too, and cannot be a {@code @TestFactory}.
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

  /** For {@link #atMost}: any number of pins. */
  int ANY = Integer.MAX_VALUE;

  /**
   * The number of pins that the test may have, not counting {@linkplain #ignoring ignored} ones.
   * Use it for a known number that must not grow.
   */
  int atMost() default 0;

  /**
   * The number of times to run the test body before the recorded run, on the same instance and with
   * the same arguments. The first use of a class pins on every JDK. If a body must not run twice,
   * warm up in {@code @BeforeEach} instead.
   */
  int warmUps() default 0;

  /**
   * Waits to enter {@code synchronized} that are shorter than this are ignored, in milliseconds;
   * with 0 none are. Applies to JDK 21 to 23, where such waits hold the carrier; see {@link
   * PinningReport#ignoringContention}.
   */
  int contentionMillis() default 20;

  /** The pins to ignore. */
  Ignored[] ignoring() default {};

  /**
   * Pins to ignore, and the reason; see {@link PinningReport#ignoring}.
   *
   * <p>An exception that matches nothing fails, because it would hide the next pin at that place.
   * On a method it must match in each run of it. On a class it must match in at least one of its
   * tests; this is checked after all of them, unless one has failed.
   */
  @Documented
  @Retention(RetentionPolicy.RUNTIME)
  @Target({})
  @interface Ignored {

    /** A regular expression to find in a frame of the stack. */
    String frame();

    /** The reason; not blank. */
    String because();

    /**
     * Whether it may match nothing: for a pin that occurs once per JVM, by chance, or on some JDKs
     * only.
     */
    boolean sometimes() default false;
  }
}
