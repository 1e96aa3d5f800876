package io.heddle.bench;

/** The version of HTTP that a client speaks. */
enum Wire {
  HTTP_1("HTTP/1.1"),
  HTTP_2("HTTP/2");

  private final String text;

  Wire(String text) {
    this.text = text;
  }

  @Override
  public String toString() {
    return text;
  }
}
