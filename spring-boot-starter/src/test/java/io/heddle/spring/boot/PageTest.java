package io.heddle.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.apache.BlockingConnectionManager;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.StringReader;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;

/** The Java code of docs/spring-boot.md compiles, and runs with the properties that it shows. */
@Timeout(120)
class PageTest {

  private static final Path PAGE = Path.of("../docs/spring-boot.md");

  private static final String IMPORTS =
      """
      import io.heddle.apache.*;
      import io.heddle.spring.boot.ApacheRequestFactoryBuilder;
      import java.time.Duration;
      import org.apache.hc.client5.http.config.ConnectionConfig;
      import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
      import org.apache.hc.core5.util.Timeout;
      import org.springframework.boot.http.client.*;
      import org.springframework.boot.http.client.autoconfigure.*;
      import org.springframework.context.annotation.*;
      import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
      import org.springframework.stereotype.Service;
      import org.springframework.web.client.RestClient;
      """;

  private static List<String> blocks(String page, String language) {
    List<String> blocks = new ArrayList<>();
    Matcher matcher = Pattern.compile("(?ms)^```" + language + "\\n(.*?)^```").matcher(page);
    while (matcher.find()) {
      blocks.add(matcher.group(1));
    }
    return blocks;
  }

  @Test
  void theCodeOfThePageCompilesAndRuns(@TempDir Path directory) throws Exception {
    String page = Files.readString(PAGE);
    compile(directory, IMPORTS + "class Page {\n" + String.join("", blocks(page, "java")) + "}\n");
    Properties properties = new Properties();
    properties.load(new StringReader(String.join("", blocks(page, "properties"))));
    String[] pairs =
        properties.entrySet().stream()
            .map(each -> each.getKey() + "=" + each.getValue())
            .toArray(String[]::new);

    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        URLClassLoader loader = new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
      Class<?> orders = loader.loadClass("Page$Orders");
      String uri = server.uri(Script.ok().body(5)).toString();
      AutoConfigurationTest.application()
          .withPropertyValues(pairs)
          .withUserConfiguration(orders, loader.loadClass("Page$Clients"))
          .run(
              context -> {
                List<BlockingConnectionManager> opened = new ArrayList<>();
                context.getBean(ApacheRequestFactoryBuilder.class).onOpen(opened::add);
                assertEquals(5, found(orders, context.getBean(orders), uri).length());
                assertEquals(200, opened.getFirst().getDefaultMaxPerRoute());
              });
      assertEquals(
          "orders/1.0", server.seen(java.net.URI.create(uri)).getFirst().header("user-agent"));

      AutoConfigurationTest.application()
          .withUserConfiguration(orders, loader.loadClass("Page$OwnBuilder"))
          .run(
              context -> {
                assertEquals(
                    List.of("requestFactories"),
                    List.of(context.getBeanNamesForType(ClientHttpRequestFactoryBuilder.class)));
                assertEquals(5, found(orders, context.getBean(orders), uri).length());
              });
    }
  }

  /** A release builds and runs the example with Boot 3.5, which is not here. */
  @Test
  void theCodeForBoot3IsThatOfItsExample() throws Exception {
    List<String> code = blocks(Files.readString(PAGE), "java");
    Path example = Path.of("../examples/spring-boot-3/src/main/java/example/Main.java");
    String squeezed = Files.readString(example).replaceAll("\\s+", "");

    assertTrue(squeezed.contains(code.getLast().replaceAll("\\s+", "")), code.getLast());
  }

  private static String found(Class<?> orders, Object bean, String uri) throws Exception {
    var find = orders.getDeclaredMethod("find", String.class);
    find.setAccessible(true);
    return (String) find.invoke(bean, uri);
  }

  private static void compile(Path directory, String source) throws Exception {
    Path file = directory.resolve("Page.java");
    Files.writeString(file, source);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    assertNotNull(compiler, "this test needs a JDK with a compiler");
    StringWriter messages = new StringWriter();
    try (var files = compiler.getStandardFileManager(null, null, null)) {
      boolean compiled =
          compiler
              .getTask(
                  messages,
                  files,
                  null,
                  List.of(
                      "--release",
                      "21",
                      "-proc:none",
                      "-d",
                      directory.toString(),
                      "-cp",
                      System.getProperty("java.class.path")),
                  null,
                  files.getJavaFileObjects(file))
              .call();
      assertTrue(compiled, messages::toString);
    }
  }
}
