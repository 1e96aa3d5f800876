package io.heddle.rewrite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.openrewrite.gradle.Assertions.buildGradleKts;
import static org.openrewrite.java.Assertions.java;
import static org.openrewrite.java.Assertions.mavenProject;
import static org.openrewrite.java.Assertions.srcMainJava;
import static org.openrewrite.java.Assertions.srcTestJava;
import static org.openrewrite.maven.Assertions.pomXml;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.openrewrite.gradle.marker.GradleDependencyConfiguration;
import org.openrewrite.gradle.marker.GradleProject;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;
import org.openrewrite.test.SourceSpecs;

/** A build gets the dependency once, where its code came to need it. */
class DependencyTest implements RewriteTest {

  private static final String STOCK =
      """
      import org.apache.hc.client5.http.impl.classic.HttpClients;

      class Orders {
        Object client = HttpClients.createDefault();
      }
      """;

  private static final String OURS =
      """
      import io.heddle.apache.BlockingHttpClients;

      class Orders {
        Object client = BlockingHttpClients.createDefault();
      }
      """;

  private static final String JAX_RS =
      """
      import jakarta.ws.rs.client.ClientBuilder;

      class Orders {
        Object client = ClientBuilder.newClient();
      }
      """;

  private static final String HTTPCLIENT =
      """
          <dependency>
            <groupId>org.apache.httpcomponents.client5</groupId>
            <artifactId>httpclient5</artifactId>
            <version>%s</version>
          </dependency>
      """
          .formatted(System.getProperty("httpclient5.version"));

  private static final String JERSEY =
      """
          <dependency>
            <groupId>org.glassfish.jersey.core</groupId>
            <artifactId>jersey-client</artifactId>
            <version>%s</version>
          </dependency>
      """
          .formatted(System.getProperty("jersey.version"));

  /** What Gradle itself tells OpenRewrite of a project; here nothing is in it yet. */
  private static final GradleDependencyConfiguration IMPLEMENTATION =
      GradleDependencyConfiguration.builder()
          .name("implementation")
          .isCanBeDeclared(true)
          .extendsFrom(List.of())
          .requested(List.of())
          .directResolved(List.of())
          .constraints(List.of())
          .build();

  private static Repositories repositories;

  @BeforeAll
  static void release(@TempDir Path directory) throws IOException {
    repositories = Repositories.with(directory, "heddle-apache", "heddle-jersey");
    Repositories.add(directory, "org.glassfish.jersey.core", "jersey-client", "3.0.18");
    Repositories.add(directory, "org.apache.httpcomponents.client5", "httpclient5", "5.3.1");
  }

  @Override
  public void defaults(RecipeSpec spec) {
    Recipes.run(spec, "io.heddle.MigrateToHeddle");
    // First the code, then what it needs.
    spec.expectedCyclesThatMakeChanges(2).executionContext(repositories.context());
  }

  private static String pom(String... dependencies) {
    return """
    <project>
      <modelVersion>4.0.0</modelVersion>
      <groupId>com.example</groupId>
      <artifactId>orders</artifactId>
      <version>1</version>
      <dependencies>
    %s  </dependencies>
    </project>
    """
        .formatted(String.join("", dependencies));
  }

  private static String heddle(String artifact, String scope) {
    return """
        <dependency>
          <groupId>io.heddle</groupId>
          <artifactId>%s</artifactId>
          <version>%s</version>
    %s    </dependency>
    """
        .formatted(
            artifact,
            Repositories.VERSION,
            scope.isEmpty() ? "" : "      <scope>" + scope + "</scope>\n");
  }

  @Test
  void mavenGetsTheDependencyOnce() {
    SourceSpecs another =
        java(
            STOCK.replace("class Orders", "class Other"),
            OURS.replace("class Orders", "class Other"));
    rewriteRun(
        mavenProject(
            "orders",
            srcMainJava(java(STOCK, OURS), another),
            pomXml(pom(HTTPCLIENT), pom(heddle("heddle-apache", ""), HTTPCLIENT))));
  }

  @Test
  void mavenGetsItForTestsWhereOnlyTheyNeedIt() {
    rewriteRun(
        mavenProject(
            "orders",
            srcTestJava(java(STOCK, OURS)),
            pomXml(pom(HTTPCLIENT), pom(HTTPCLIENT, heddle("heddle-apache", "test")))));
  }

  @Test
  void aProjectThatDoesNotUseItGetsNone() {
    rewriteRun(
        mavenProject(
            "orders",
            srcMainJava(java(STOCK, OURS)),
            pomXml(pom(HTTPCLIENT), pom(heddle("heddle-apache", ""), HTTPCLIENT))),
        mavenProject(
            "invoices",
            srcMainJava(java("class Invoices {}")),
            pomXml(pom(HTTPCLIENT).replace("orders", "invoices"))));
  }

  @Test
  void aProjectThatHasItStays() {
    rewriteRun(
        spec -> spec.expectedCyclesThatMakeChanges(0),
        mavenProject(
            "orders",
            srcMainJava(java(OURS)),
            pomXml(pom(heddle("heddle-apache", ""), HTTPCLIENT))));
  }

  @Test
  void jerseyGetsTheDependencyAlone() {
    rewriteRun(
        spec -> spec.expectedCyclesThatMakeChanges(1),
        mavenProject(
            "orders",
            srcMainJava(java(JAX_RS)),
            pomXml(pom(JERSEY), pom(heddle("heddle-jersey", ""), JERSEY))));
  }

  @Test
  void anOlderLibraryGetsNone() {
    rewriteRun(
        spec -> spec.expectedCyclesThatMakeChanges(1),
        mavenProject(
            "orders",
            srcMainJava(
                java(
                    STOCK,
                    STOCK.replace(
                        "  Object",
                        "  // Heddle: needs httpclient5 5.6 or later, and this has 5.5.1: upgrade it, then run the recipe again.\n  Object"),
                    spec ->
                        spec.markers(
                            Recipes.classPath(
                                "org.apache.httpcomponents.client5:httpclient5:5.5.1")))),
            pomXml(pom(HTTPCLIENT))));
  }

  @ParameterizedTest
  @CsvSource({"3.0.18, 5.6.5", "3.1.11, 5.3.1"})
  void anOlderJerseyOrApacheClientOfItGetsNone(String jersey, String httpclient) {
    rewriteRun(
        spec -> spec.expectedCyclesThatMakeChanges(0),
        mavenProject(
            "orders",
            srcMainJava(java(JAX_RS)),
            pomXml(
                pom(
                    JERSEY.replace(System.getProperty("jersey.version"), jersey),
                    HTTPCLIENT.replace(System.getProperty("httpclient5.version"), httpclient)))));
  }

  /** Whoever raises a version in the build raises what a recipe asks for. */
  @ParameterizedTest
  @EnumSource
  void theOldestReleasesAreThoseThatHeddleIsBuiltWith(Library library) {
    // With Maven there is only okhttp-jvm.
    Pattern jar = Pattern.compile(library.needed().replace(" ", "(-jvm)?-") + "\\..*");
    assertTrue(
        Recipes.CLASS_PATH.stream()
            .anyMatch(each -> jar.matcher(each.getFileName().toString()).matches()),
        library::needed);
  }

  @Test
  void jerseysOldestReleasesAreThoseOfTheCode() throws IOException {
    try (InputStream yaml =
        DependencyTest.class.getResourceAsStream("/META-INF/rewrite/heddle.yml")) {
      String recipes = new String(yaml.readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(3, recipes.split(Pattern.quote("[" + oldest(Library.JERSEY) + ",)")).length);
      assertTrue(recipes.contains("(," + oldest(Library.HTTPCLIENT5) + ")"));
    }
  }

  private static String oldest(Library library) {
    return library.needed().substring(library.needed().indexOf(' ') + 1);
  }

  @Test
  void gradleGetsTheDependencyOnce() {
    rewriteRun(
        mavenProject(
            "orders",
            srcMainJava(java(STOCK, OURS)),
            buildGradleKts(
                """
                plugins {
                    `java`
                }

                dependencies {
                    implementation("org.apache.httpcomponents.client5:httpclient5:5.6.5")
                }
                """,
                """
                plugins {
                    `java`
                }

                dependencies {
                    implementation("io.heddle:heddle-apache:%s")
                    implementation("org.apache.httpcomponents.client5:httpclient5:5.6.5")
                }
                """
                    .formatted(Repositories.VERSION),
                spec ->
                    spec.markers(
                        GradleProject.builder()
                            .id(UUID.randomUUID())
                            .name("orders")
                            .nameToConfiguration(Map.of("implementation", IMPLEMENTATION))
                            .mavenRepositories(repositories.all())
                            .build()))));
  }
}
