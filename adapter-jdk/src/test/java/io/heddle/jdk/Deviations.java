package io.heddle.jdk;

import io.heddle.conformance.Deviation;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Why rules of the kit are not kept. */
final class Deviations {

  private static final String TRAILERS =
      "java.net.http has no place for trailer fields, and drops them";

  /** From JDK 27 on, over HTTP/1.1. */
  private static final String TRAILERS_FAIL = "CR expected";

  private static final String EXPECT_AGAIN =
      "the JDK cannot send the body of such a request: 21 waits on, 25 mixes up the answers at times;"
          + " so the call is given up, and made again without the expectation";

  static final String NO_LENGTH_OF_NOTHING =
      "the JDK sends no Content-Length with an empty body over HTTP/2, and lets nobody set it";

  static final String DEAD_PATH =
      "the JDK keeps an HTTP/2 connection whatever became of its calls, and lets nobody ask whether it"
          + " is dead, or close it";

  private static final String NO_CANCEL =
      "a send() of the JDK's has no cancel: who wants its end interrupts the caller, or closes the"
          + " stream, and that is what is told";

  static final String CR_ENDS_A_LINE =
      "the JDK takes a CR alone for the end of a line, which RFC 9112, 2.2, forbids";

  @Deviation(
      rule = "EX-12",
      reason = TRAILERS,
      failure = {"but was: <{}>", TRAILERS_FAIL})
  @Deviation(rule = "EX-19", reason = EXPECT_AGAIN, failure = "the request was sent 2 times")
  @Deviation(
      rule = "CA-09",
      reason = TRAILERS,
      failure = {"expected: <1> but was: <0>", TRAILERS_FAIL})
  @Deviation(rule = "SI-03", reason = NO_CANCEL, failure = "GET 0 interrupted")
  @Retention(RetentionPolicy.RUNTIME)
  @interface OnEachWire {}

  private Deviations() {}
}
