package io.heddle.bench.measure;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import okhttp3.OkHttp;
import org.eclipse.jetty.util.Jetty;

/** The versions of what is measured. */
public final class Versions {

  private Versions() {}

  public static Map<String, String> all() {
    Map<String, String> versions = new TreeMap<>();
    versions.put("Apache HttpClient", ofMaven("org.apache.httpcomponents.client5", "httpclient5"));
    versions.put("OkHttp", OkHttp.VERSION);
    versions.put("Jetty", Jetty.VERSION);
    versions.put("AsyncHttpClient", ofMaven("org.asynchttpclient", "async-http-client"));
    versions.put("Netty", ofMaven("io.netty", "netty-common"));
    versions.put("Tomcat", ofMaven("org.apache.tomcat.embed", "tomcat-embed-core"));
    versions.put("Undertow", ofMaven("io.undertow", "undertow-core"));
    return versions;
  }

  /** What Maven wrote into the library's jar. */
  private static String ofMaven(String group, String artifact) {
    Properties properties = new Properties();
    String file = "/META-INF/maven/" + group + "/" + artifact + "/pom.properties";
    try (InputStream in = Versions.class.getResourceAsStream(file)) {
      if (in != null) {
        properties.load(in);
      }
    } catch (IOException e) {
      return "unknown";
    }
    return properties.getProperty("version", "unknown");
  }
}
