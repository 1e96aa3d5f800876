package io.heddle.jdk;

/** Why rules of the kit are not kept. */
final class Deviations {

  static final String TRAILERS = "java.net.http has no place for trailer fields, and drops them";

  static final String EXPECT_AGAIN =
      "the JDK cannot send the body of such a request: 21 waits on, 25 mixes up the answers at times;"
          + " so the call is given up, and made again without the expectation";

  static final String NO_LENGTH_OF_NOTHING =
      "the JDK sends no Content-Length with an empty body over HTTP/2, and lets nobody set it";

  static final String DEAD_PATH =
      "the JDK keeps an HTTP/2 connection whatever became of its calls, and lets nobody close it";

  static final String NO_CANCEL =
      "a send() of the JDK's has no cancel: who wants its end interrupts the caller, or closes the"
          + " stream, and that is what is told";

  static final String CR_ENDS_A_LINE =
      "the JDK takes a CR alone for the end of a line, which RFC 9112, 2.2, forbids";

  private Deviations() {}
}
