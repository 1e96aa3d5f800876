/** Says whether anything pinned a virtual thread. */
module io.heddle.pinning {
  requires java.management;
  requires jdk.jfr;
  requires static org.jspecify;
  requires static org.junit.jupiter.api;

  exports io.heddle.pinning;

  // For suites that let JUnit find extensions; without JUnit nobody asks for it.
  provides org.junit.jupiter.api.extension.Extension with
      io.heddle.pinning.NoPinningExtension;

  // For @NoPinning.
  opens io.heddle.pinning to
      org.junit.platform.commons;
}
