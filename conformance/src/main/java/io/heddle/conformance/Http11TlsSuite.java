package io.heddle.conformance;

/** The rules for one adapter on HTTP/1.1 over TLS. */
public abstract class Http11TlsSuite extends ConformanceSuite implements Http1Rules, TlsRules {

  protected Http11TlsSuite(ClientDriver driver) {
    super(driver, Wire.HTTP_1_1_TLS);
  }
}
