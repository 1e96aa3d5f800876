package io.heddle.okhttp;

import io.heddle.conformance.Deviation;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** What OkHttp itself does not do, on whatever thread it runs. */
final class Deviations {

  private static final String LENGTH_OF_304 =
      "OkHttp waits for the body that the Content-Length of a 304 speaks of";

  private static final String NO_CONTINUE =
      "OkHttp waits for the 100 until its read timeout, and then the call fails";

  private static final String POST_AGAIN =
      "OkHttp sends a POST again whose connection broke, if its body is in memory; to be switched"
          + " off with retryOnConnectionFailure(false)";

  @Deviation(rule = "EX-03", reason = LENGTH_OF_304, failure = "SocketTimeoutException")
  @Deviation(rule = "EX-19", reason = NO_CONTINUE, failure = "SocketTimeoutException")
  @Deviation(
      rule = "FA-06",
      reason = POST_AGAIN,
      failure = "times sent ==> expected: <1> but was: <3>")
  @Retention(RetentionPolicy.RUNTIME)
  @interface OverHttp1 {}

  @Deviation(rule = "EX-19", reason = NO_CONTINUE, failure = "SocketTimeoutException")
  @Deviation(
      rule = "FA-06",
      reason = POST_AGAIN,
      failure = "times sent ==> expected: <1> but was: <2>")
  @Deviation(
      rule = "H2-08",
      reason = POST_AGAIN,
      failure = {"the call succeeded", "the request was sent 2 times"})
  @Retention(RetentionPolicy.RUNTIME)
  @interface OverHttp2 {}

  private Deviations() {}
}
