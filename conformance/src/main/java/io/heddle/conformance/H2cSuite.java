package io.heddle.conformance;

/** The rules for one adapter on HTTP/2 over TCP. */
public abstract class H2cSuite extends ConformanceSuite implements Http2Rules {

  protected H2cSuite(ClientDriver driver) {
    super(driver, Wire.H2C);
  }
}
