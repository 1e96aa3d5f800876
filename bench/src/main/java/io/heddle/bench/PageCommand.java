package io.heddle.bench;

import io.heddle.bench.load.Json;
import io.heddle.bench.measure.RunRecord;
import io.heddle.bench.report.Picture;
import io.heddle.bench.report.PromiseTable;
import io.heddle.bench.report.ReportFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes the page and the CSV anew of what a run has found. */
@Command(
    name = "page",
    description =
        "Writes report.html and the CSV files anew beside a run.json, and measures nothing. With"
            + " --pictures only the pictures of docs/performance.md, with --promises only the table"
            + " of what was promised, to the standard output.",
    mixinStandardHelpOptions = true)
final class PageCommand implements Callable<Integer> {

  @Parameters(
      paramLabel = "DIRECTORY",
      description = "where run.json is (default: here); several for --promises")
  private List<Path> directories = List.of(Path.of("."));

  @ArgGroup(exclusive = true)
  private Only only = new Only();

  /** Not the page, but at most one of these. */
  private static final class Only {
    @Option(
        names = "--pictures",
        paramLabel = "DIRECTORY",
        description = "where to write the pictures that the run has figures for")
    private @Nullable Path pictures;

    @Option(
        names = "--promises",
        description = "one table of all the runs together, in Markdown, a line for each JDK")
    private boolean promises;
  }

  @Override
  public Integer call() throws Exception {
    if (only.promises) {
      List<RunRecord> runs = new ArrayList<>();
      for (Path each : directories) {
        runs.add(read(each));
      }
      System.out.print(new PromiseTable(runs).markdown());
      return 0;
    }
    for (Path each : directories) {
      if (only.pictures == null) {
        new ReportFiles(read(each)).writeTo(each);
        System.out.println(each.resolve(ReportFiles.HTML).toUri());
      } else {
        for (Picture picture : Picture.of(read(each))) {
          picture.writeTo(only.pictures);
          System.out.println(only.pictures.resolve(picture.file()).toUri());
        }
      }
    }
    return 0;
  }

  private static RunRecord read(Path directory) throws IOException {
    return Json.read(Files.readString(directory.resolve(ReportFiles.JSON)), RunRecord.class);
  }
}
