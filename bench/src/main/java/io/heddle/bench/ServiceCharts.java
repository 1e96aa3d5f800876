package io.heddle.bench;

/** The charts of services that call others; empty where there are no figures. */
record ServiceCharts(RunRecord run) {

  String service() {
    return "";
  }

  String loom() {
    return "";
  }
}
