package io.heddle.conformance;

class ReferenceHttp11Test extends Http11Suite {
  ReferenceHttp11Test() {
    super(new ReferenceDriver());
  }
}
