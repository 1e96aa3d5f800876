package io.heddle.rewrite;

import java.lang.module.ModuleDescriptor.Version;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.SourceFile;
import org.openrewrite.java.marker.JavaSourceSet;

/** A library that Heddle runs on, and the oldest release that it runs on. */
enum Library {
  HTTPCLIENT5("5.6", "org.apache.httpcomponents.client5:httpclient5"),
  HTTPCORE5("5.4", "org.apache.httpcomponents.core5:httpcore5"),
  JERSEY("3.1", "org.glassfish.jersey.core:jersey-client"),
  JETTY("12.1", "org.eclipse.jetty:jetty-client"),
  ASYNC_HTTP_CLIENT("3.0", "org.asynchttpclient:async-http-client"),
  OKHTTP("5.5", "com.squareup.okhttp3:okhttp"),
  OKHTTP_JVM("5.5", "com.squareup.okhttp3:okhttp-jvm");

  private final String oldest;
  private final String coordinates;

  Library(String oldest, String coordinates) {
    this.oldest = oldest;
    this.coordinates = coordinates;
  }

  /** The artifact and the oldest release. */
  String needed() {
    return coordinates.substring(coordinates.indexOf(':') + 1) + " " + oldest;
  }

  /**
   * What to say of a source whose class path has an older release of one of these, or null. A
   * source may tell nothing of its class path; then this is null too.
   */
  static @Nullable String tooOld(SourceFile source, List<Library> libraries) {
    JavaSourceSet set = source.getMarkers().findFirst(JavaSourceSet.class).orElse(null);
    for (String each : set == null ? List.<String>of() : set.getGavToTypes().keySet()) {
      int colon = each.lastIndexOf(':');
      String version = each.substring(colon + 1);
      for (Library library : libraries) {
        if (library.coordinates.equals(each.substring(0, colon)) && library.isAfter(version)) {
          return "needs %s or later, and this has %s: upgrade it, then run the recipe again."
              .formatted(library.needed(), version);
        }
      }
    }
    return null;
  }

  private boolean isAfter(String version) {
    try {
      return Version.parse(version).compareTo(Version.parse(oldest)) < 0;
    } catch (IllegalArgumentException e) { // of a fork, such as "master-SNAPSHOT"
      return false;
    }
  }
}
