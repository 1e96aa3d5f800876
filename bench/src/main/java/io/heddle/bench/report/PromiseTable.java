package io.heddle.bench.report;

import io.heddle.bench.contestants.Library;
import io.heddle.bench.measure.RunRecord;
import io.heddle.bench.report.Verdicts.Promise;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What was promised and what came of it in several runs, as Markdown: a line for each JDK. */
public record PromiseTable(List<RunRecord> runs) {

  /** Where several runs on a JDK tell of a promise, the worst counts. */
  public String markdown() {
    Map<String, Map<Integer, Promise>> promises = new LinkedHashMap<>();
    for (RunRecord run : runs) {
      for (Promise promise : new Verdicts(run).all()) {
        Map<Integer, Promise> byJdk =
            promises.computeIfAbsent(
                promise.what(), what -> new TreeMap<>(Comparator.reverseOrder()));
        if (!promise.isUnknown()) {
          byJdk.merge(run.machine().javaFeature(), promise, Promise::worst);
        }
      }
    }
    StringBuilder text = new StringBuilder();
    text.append(line(Stream.of("Heddle's figure", "Bar", "JDK"), Library::label));
    text.append("|---".repeat(3 + Library.MEASURED.size())).append("|\n");
    for (Map<Integer, Promise> byJdk : promises.values()) {
      boolean isFirst = true;
      for (Map.Entry<Integer, Promise> each : byJdk.entrySet()) {
        Promise promise = each.getValue();
        text.append(
            line(
                Stream.of(
                    isFirst ? promise.what() : "",
                    isFirst ? promise.bar() : "",
                    each.getKey().toString()),
                library -> promise.of(library).marked()));
        isFirst = false;
      }
    }
    return text.toString();
  }

  private static String line(Stream<String> head, Function<Library, String> of) {
    return Stream.concat(head, Library.MEASURED.stream().map(of))
        .collect(Collectors.joining(" | ", "| ", " |\n"));
  }
}
