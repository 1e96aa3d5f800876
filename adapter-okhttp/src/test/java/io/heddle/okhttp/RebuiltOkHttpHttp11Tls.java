package io.heddle.okhttp;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.Http11TlsSuite;

/** Not run by each build: conformance/CONFORMANCE.md says how it is run. */
@Deviation(rule = "EX-03", reason = Deviations.LENGTH_OF_304, failure = "SocketTimeoutException")
@Deviation(rule = "EX-19", reason = Deviations.NO_CONTINUE, failure = "SocketTimeoutException")
@Deviation(
    rule = "FA-06",
    reason = Deviations.POST_AGAIN,
    failure = "times sent ==> expected: <1> but was: <3>")
class RebuiltOkHttpHttp11Tls extends Http11TlsSuite {
  RebuiltOkHttpHttp11Tls() {
    super(new RebuiltOkHttpDriver());
  }
}
