package io.heddle.conformance;

/** The rules for one adapter on HTTP/2 over TLS. */
public abstract class H2TlsSuite extends ConformanceSuite implements Http2Rules, TlsRules {

  protected H2TlsSuite(ClientDriver driver) {
    super(driver, Wire.H2_TLS);
  }
}
