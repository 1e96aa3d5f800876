package io.heddle.bench;

import io.heddle.bench.load.Json;
import io.heddle.bench.measure.RunRecord;
import io.heddle.bench.report.Picture;
import io.heddle.bench.report.ReportFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes the page and the CSV anew of what a run has found. */
@Command(
    name = "page",
    description =
        "Writes report.html and cells.csv anew beside a run.json, and measures nothing; with"
            + " --pictures only the pictures of docs/performance.md.",
    mixinStandardHelpOptions = true)
final class PageCommand implements Callable<Integer> {

  @Parameters(paramLabel = "DIRECTORY", description = "where run.json is")
  private @Nullable Path directory;

  @Option(
      names = "--pictures",
      paramLabel = "DIRECTORY",
      description = "where to write the pictures that the run has figures for, and no page")
  private @Nullable Path pictures;

  @Override
  public Integer call() throws Exception {
    Path from = directory == null ? Path.of(".") : directory;
    RunRecord run = Json.read(Files.readString(from.resolve(ReportFiles.JSON)), RunRecord.class);
    if (pictures != null) {
      for (Picture picture : Picture.of(run)) {
        picture.writeTo(pictures);
        System.out.println(pictures.resolve(picture.file()).toUri());
      }
      return 0;
    }
    new ReportFiles(run).writeTo(from);
    System.out.println(from.resolve(ReportFiles.HTML).toUri());
    return 0;
  }
}
