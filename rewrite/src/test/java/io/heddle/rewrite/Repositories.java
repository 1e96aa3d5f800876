package io.heddle.rewrite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.openrewrite.ExecutionContext;
import org.openrewrite.InMemoryExecutionContext;
import org.openrewrite.maven.MavenExecutionContextView;
import org.openrewrite.maven.tree.MavenRepository;

/**
 * What Maven has fetched for this build, and of ours POMs and jars that are nearly empty: enough to
 * resolve a user's POM, without a network.
 */
record Repositories(List<MavenRepository> all) {

  static final String VERSION = System.getProperty("heddle.version");

  static Repositories with(Path ours, String... artifacts) throws IOException {
    for (String artifact : artifacts) {
      add(ours, "io.heddle", artifact, VERSION);
    }
    return new Repositories(
        List.of(
            repository("ours", ours),
            repository("seen", Path.of(System.getProperty("local.repository")))));
  }

  static void add(Path ours, String group, String artifact, String version) throws IOException {
    Path directory = ours.resolve(group.replace('.', '/')).resolve(artifact).resolve(version);
    Files.createDirectories(directory);
    Path file = directory.resolve(artifact + "-" + version);
    Files.writeString(
        Path.of(file + ".pom"),
        ("<project><modelVersion>4.0.0</modelVersion><groupId>%s</groupId>"
                + "<artifactId>%s</artifactId><version>%s</version></project>")
            .formatted(group, artifact, version));
    Files.writeString(Path.of(file + ".jar"), "jar");
  }

  private static MavenRepository repository(String id, Path directory) {
    return MavenRepository.builder()
        .id(id)
        .uri(directory.toUri().toString())
        .releases(true)
        .snapshots(true)
        .knownToExist(true)
        .build();
  }

  /** In which there are these repositories and no others. */
  ExecutionContext context() {
    MavenExecutionContextView context =
        MavenExecutionContextView.view(
            new InMemoryExecutionContext(
                e -> {
                  throw new AssertionError(e);
                }));
    context.setAddCentralRepository(false);
    context.setAddLocalRepository(false);
    return context.setRepositories(all);
  }
}
