package io.heddle.rewrite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.openrewrite.java.Assertions.java;
import static org.openrewrite.java.Assertions.mavenProject;
import static org.openrewrite.java.Assertions.srcMainJava;
import static org.openrewrite.maven.Assertions.pomXml;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openrewrite.ExecutionContext;
import org.openrewrite.RecipeRun;
import org.openrewrite.test.RewriteTest;

/** The plain example, written for Apache's own client, becomes the example again, and runs. */
class ExampleTest implements RewriteTest {

  private static final Path EXAMPLE = Path.of("../examples/plain");

  private static final String HTTPCLIENT =
      """
          <dependency>
            <groupId>org.apache.httpcomponents.client5</groupId>
            <artifactId>httpclient5</artifactId>
            <version>%s</version>
          </dependency>
      """
          .formatted(System.getProperty("httpclient5.version"));

  @Test
  void theStockFormOfTheExampleBecomesTheExample(@TempDir Path ours) throws Exception {
    // A stock client has no deadline, and so none of our exceptions.
    String example =
        Files.readString(EXAMPLE.resolve("src/main/java/example/Main.java"))
            .replace("custom(Timeout.ofSeconds(5))", "custom()")
            .replace("import org.apache.hc.core5.util.Timeout;\n", "")
            .replace("import io.heddle.DeadlineExceededException;\n", "")
            .replace("DeadlineExceededException", "java.net.SocketTimeoutException");
    String stock =
        example
            .replace("import io.heddle.apache.BlockingHttpClients;\n", "")
            .replace(
                "CloseableHttpClient;\n",
                "CloseableHttpClient;\nimport org.apache.hc.client5.http.impl.classic.HttpClients;\n")
            .replace("BlockingHttpClients", "HttpClients");
    // So small a source tells OpenRewrite nothing of its style.
    String migrated =
        example
            .replace("import io.heddle.apache.BlockingHttpClients;\n", "")
            .replace(".Future;\n", ".Future;\n\nimport io.heddle.apache.BlockingHttpClients;\n");
    String pom = Files.readString(EXAMPLE.resolve("pom.xml"));
    int bom = pom.indexOf("  <dependencyManagement>");
    String withoutBom =
        pom.substring(0, bom)
            + pom.substring(
                pom.indexOf("  <dependencies>", pom.indexOf("</dependencyManagement>")));
    String heddle =
        """
            <dependency>
              <groupId>io.heddle</groupId>
              <artifactId>heddle-apache</artifactId>
            </dependency>
        """;
    assertTrue(withoutBom.contains(heddle) && !stock.contains("heddle"), withoutBom + stock);
    String versioned =
        heddle.replace(
            "    </dependency>",
            "      <version>" + Repositories.VERSION + "</version>\n    </dependency>");

    ExecutionContext context = Repositories.with(ours, "heddle-apache").context();
    rewriteRun(
        spec -> {
          Recipes.run(spec, "io.heddle.MigrateToHeddle");
          spec.expectedCyclesThatMakeChanges(2)
              .executionContext(context)
              .afterRecipe(ExampleTest::runs);
        },
        mavenProject(
            "plain",
            srcMainJava(java(stock, migrated)),
            pomXml(
                withoutBom.replace(heddle, HTTPCLIENT),
                withoutBom.replace(heddle, versioned + HTTPCLIENT))));
  }

  private static void runs(RecipeRun run) throws Exception {
    AtomicInteger calls = new AtomicInteger();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          calls.incrementAndGet();
          exchange.sendResponseHeaders(200, 5);
          try (var body = exchange.getResponseBody()) {
            body.write("hello".getBytes(StandardCharsets.UTF_8));
          }
        });
    server.start();
    PrintStream before = System.out;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    URL classes = Recipes.compile(run).toUri().toURL();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {classes})) {
      System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
      String[] url = {
        "http://" + server.getAddress().getHostString() + ":" + server.getAddress().getPort() + "/"
      };
      loader.loadClass("example.Main").getMethod("main", String[].class).invoke(null, (Object) url);
    } finally {
      System.setOut(before);
      server.stop(0);
    }
    assertEquals("100 times: hello\n", said.toString(StandardCharsets.UTF_8));
    assertEquals(100, calls.get());
  }
}
