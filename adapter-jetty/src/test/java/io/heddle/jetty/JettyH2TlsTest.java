package io.heddle.jetty;

import io.heddle.conformance.Deviation;
import io.heddle.conformance.H2TlsSuite;

@Deviation(rule = "TL-01", reason = JettyH2TlsTest.CONNECTS_FOR_ALL)
@Deviation(rule = "TL-02", reason = JettyH2TlsTest.CONNECTS_FOR_ALL)
@Deviation(rule = "TL-03", reason = JettyH2TlsTest.CONNECTS_FOR_ALL)
class JettyH2TlsTest extends H2TlsSuite {

  static final String CONNECTS_FOR_ALL =
      "Jetty opens a connection for its destination, not for one request: the caller that gives up"
          + " leaves at once, the handshake goes on until the connect or idle timeout, and if it"
          + " succeeds the connection serves whoever comes next. Only where ALPN is negotiated;"
          + " without, the request is on the connection by then and its abort closes it.";

  JettyH2TlsTest() {
    super(new JettyDriver());
  }
}
