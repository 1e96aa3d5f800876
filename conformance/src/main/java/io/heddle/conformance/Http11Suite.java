package io.heddle.conformance;

/** The rules for one adapter on HTTP/1.1. */
public abstract class Http11Suite extends ConformanceSuite implements Http1Rules {

  protected Http11Suite(ClientDriver driver) {
    super(driver, Wire.HTTP_1_1);
  }
}
