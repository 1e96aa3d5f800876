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
 * <p>On a class it holds for each of its tests; on a method it takes the place of the class's. What
 * is recorded is the test method, each repetition, argument set or dynamic test on its own, without
 * {@code @BeforeEach} and {@code @AfterEach}. A test that fails by itself fails as it would without
 * this, with the pins as a suppressed exception.
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

  /**
   * How many times to run the body of the test, on the same instance and with the same arguments,
   * before the run that is recorded: the first use of classes pins on every JDK. A body that must
   * not run twice does its warm-up in {@code @BeforeEach} instead.
   */
  int warmUps() default 0;

  /** Pins that are no matter. */
  Ignored[] ignoring() default {};

  /** Pins that are no matter, and why: see {@link PinningReport#ignoring}. */
  @Documented
  @Retention(RetentionPolicy.RUNTIME)
  @Target({})
  @interface Ignored {

    /** A regular expression to be found in a frame of the stack. */
    String frame();

    /** The reason; not blank. */
    String because();
  }
}
