package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The application has a class loader of its own, as in a Spring Boot jar or a servlet container.
 * Jetty looks for its provider of ALPN by the context class loader of the thread that has looked up
 * the host: that was the system's, which knows none, and each call over TLS waited until its
 * timeout.
 */
@Timeout(60)
class IsolatedClassLoaderTest {

  /** What the application does. */
  public static final class Application {
    private Application() {}

    /** Makes a call. */
    public static int get(URI uri) throws Exception {
      BlockingJettyClient client = new BlockingJettyClient(JettyClient.transport(Wire.H2_TLS));
      client.setSslContextFactory(new SslContextFactory.Client(true));
      client.start();
      try {
        return client.newRequest(uri).timeout(30, TimeUnit.SECONDS).send().getStatus();
      } finally {
        client.stop();
      }
    }
  }

  /** Whose class loader knows all but the JARs with this in their names. */
  private static Object get(String without, URI uri) throws Exception {
    List<URL> path = new ArrayList<>();
    for (String each : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (!each.contains(without)) {
        path.add(new File(each).toURI().toURL());
      }
    }
    ClassLoader none = ClassLoader.getPlatformClassLoader();
    try (URLClassLoader own = new URLClassLoader(path.toArray(URL[]::new), none)) {
      Class<?> application = own.loadClass(Application.class.getName());
      return application.getMethod("get", URI.class).invoke(null, uri);
    }
  }

  @Test
  void http2OverTls() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      assertEquals(200, get("no such JAR", server.uri(Script.ok())));
    }
  }

  /** There is none: the call fails with that, and does not wait. */
  @Test
  void withoutAProvider() {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      URI uri = server.uri(Script.ok());
      InvocationTargetException failed =
          assertThrows(InvocationTargetException.class, () -> get("jetty-alpn-java-client", uri));
      assertInstanceOf(ExecutionException.class, failed.getCause());
      assertInstanceOf(IllegalStateException.class, failed.getCause().getCause());
    }
  }
}
