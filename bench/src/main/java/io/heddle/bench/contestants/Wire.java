package io.heddle.bench.contestants;

/** The version of HTTP that a client speaks. */
public enum Wire {
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
