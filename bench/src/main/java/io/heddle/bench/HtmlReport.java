package io.heddle.bench;

/** x. */
record HtmlReport(RunRecord run) {
  String html() {
    return "";
  }
}
