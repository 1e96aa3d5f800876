package io.heddle.jersey;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.heddle.apache.BlockingConnectionManager;
import io.heddle.app.App;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import io.heddle.core.Exchange;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import java.io.File;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.glassfish.jersey.client.ClientConfig;
import org.glassfish.jersey.client.ClientProperties;
import org.glassfish.jersey.client.HttpUrlConnectorProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jersey finds the connector by itself. */
@Timeout(120)
class DiscoveryTest {

  /** What a user's build would put beside this module. */
  private static final Pattern LIBRARIES =
      Pattern.compile(
          "(jersey-|hk2-|aopalliance|javassist|osgi-resource|jakarta\\.|httpc|slf4j-|jspecify)[^/]*jar$");

  private static Object found(ClientBuilder builder) {
    try (Client client = builder.build()) {
      return ((ClientConfig) client.getConfiguration()).getConnectorProvider();
    }
  }

  @Test
  void onTheClassPath() {
    assertInstanceOf(HeddleConnectorProvider.class, found(ClientBuilder.newBuilder()));
  }

  @Test
  void byName() {
    assertInstanceOf(
        HeddleConnectorProvider.class,
        found(
            ClientBuilder.newBuilder()
                .withConfig(new ClientConfig().connectorProvider(new HttpUrlConnectorProvider()))
                .property(
                    ClientProperties.CONNECTOR_PROVIDER, HeddleConnectorProvider.class.getName())));
  }

  /** Jars without a descriptor are modules as well: that is what all of Jersey's are. */
  @Test
  @SuppressWarnings("unchecked")
  void onTheModulePath(@TempDir Path dir) throws Exception {
    List<Path> path = new ArrayList<>();
    for (String each : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (LIBRARIES.matcher(each).find()) {
        path.add(Path.of(each));
      }
    }
    path.add(jar(dir, "io.heddle.core", Exchange.class));
    path.add(jar(dir, "io.heddle.apache", BlockingConnectionManager.class));
    path.add(jar(dir, "io.heddle.jersey", HeddleConnectorProvider.class));
    path.add(jar(dir, "app", App.class));
    ModuleLayer boot = ModuleLayer.boot();
    ModuleFinder finder = ModuleFinder.of(path.toArray(Path[]::new));
    Set<String> all =
        finder.findAll().stream()
            .map(module -> module.descriptor().name())
            .collect(Collectors.toSet());
    Configuration modules = boot.configuration().resolve(finder, ModuleFinder.of(), all);
    ClassLoader loader =
        boot.defineModulesWithOneLoader(modules, ClassLoader.getPlatformClassLoader())
            .findLoader("app");
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      Object app = loader.loadClass(App.class.getName()).getConstructor().newInstance();
      assertEquals(
          "200 by io.heddle.jersey",
          ((Function<String, String>) app).apply(server.uri(Script.ok()).toString()));
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /** The classes beside this one, in a jar of this module's name, with a manifest of its own. */
  private static Path jar(Path dir, String module, Class<?> of) throws Exception {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Automatic-Module-Name", module);
    Path classes = Path.of(of.getProtectionDomain().getCodeSource().getLocation().toURI());
    if (Files.isRegularFile(classes)) {
      return classes;
    }
    Path jar = dir.resolve(module + ".jar");
    boolean whole = of != App.class; // of our tests' classes the application is one
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest);
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        String name = classes.relativize(file).toString().replace(File.separatorChar, '/');
        boolean ours =
            whole ? !name.equals(JarFile.MANIFEST_NAME) : name.startsWith("io/heddle/app/");
        if (ours) {
          out.putNextEntry(new ZipEntry(name));
          Files.copy(file, out);
        }
      }
    }
    return jar;
  }
}
