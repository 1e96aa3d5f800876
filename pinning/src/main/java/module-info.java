/** Says whether anything pinned a virtual thread. */
module io.heddle.pinning {
  requires java.management;
  requires jdk.jfr;
  requires static transitive org.jspecify;
  requires static org.junit.jupiter.api;

  exports io.heddle.pinning;

  // For @NoPinning's extension, which is not public.
  opens io.heddle.pinning to
      org.junit.platform.commons;
}
