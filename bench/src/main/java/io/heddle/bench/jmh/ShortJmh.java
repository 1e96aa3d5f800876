package io.heddle.bench.jmh;

import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * The short set of the JMH benchmarks, a few minutes long, and what it says: each figure beside its
 * baseline's. One fork and few iterations: a difference of a tenth means nothing.
 */
public final class ShortJmh {

  private static final int BYTES = 1024;
  private static final int CALLERS = 100;
  private static final TimeValue ITERATION = TimeValue.seconds(2);

  private ShortJmh() {}

  /** A benchmark and the one that it is compared with. */
  private record Pair(String benchmark, String baseline) {}

  private static final List<Pair> HAND_OVER =
      List.of(
          new Pair("ExchangeBenchmark.exchange", "ExchangeBenchmark.future"),
          new Pair("ExchangeBenchmark.exchangeWithDeadline", "ExchangeBenchmark.futureWithTimeout"),
          new Pair("PipeBenchmark.responseBodyPipe", "PipeBenchmark.blockingQueue"),
          new Pair("PipeBenchmark.requestBodyPipe", "PipeBenchmark.blockingQueue"));

  /**
   * One benchmark's figures.
   *
   * @param score in the benchmark's unit
   * @param allocated bytes per operation
   * @param pinned events per operation
   */
  record Figure(double score, double allocated, double pinned) {

    static Figure of(RunResult result) {
      return new Figure(
          result.getPrimaryResult().getScore(),
          score(result.getSecondaryResults().get("gc.alloc.rate.norm")),
          score(result.getSecondaryResults().get("pinned.events")));
    }

    private static double score(@Nullable Result<?> result) {
      return result == null ? Double.NaN : result.getScore();
    }
  }

  /** Runs it and prints the tables. */
  public static void run() throws RunnerException {
    Map<String, Figure> handOver = new LinkedHashMap<>();
    for (RunResult each : new Runner(options("ExchangeBenchmark|PipeBenchmark").build()).run()) {
      String name = each.getParams().getBenchmark();
      handOver.put(
          name.substring(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1), Figure.of(each));
    }
    Map<Contestant, Figure> clients = clients();
    System.out.println();
    System.out.println(handOverTable(handOver));
    System.out.println(clientTable(clients));
  }

  private static ChainedOptionsBuilder options(String include) {
    return new OptionsBuilder()
        .include("io\\.heddle\\.bench\\.jmh\\.(" + include + ")")
        .forks(1)
        .warmupIterations(2)
        .warmupTime(ITERATION)
        .measurementIterations(3)
        .measurementTime(ITERATION)
        .addProfiler(GCProfiler.class)
        .addProfiler(PinnedEventsProfiler.class);
  }

  private static Map<Contestant, Figure> clients() throws RunnerException {
    List<Contestant> chosen = new ArrayList<>();
    for (Library library : Library.MEASURED) {
      library.all().stream().filter(each -> isInShortSet(each)).forEach(chosen::add);
    }
    String[] ids = chosen.stream().map(ClientBenchmark::idOf).toArray(String[]::new);
    Collection<RunResult> results =
        new Runner(
                options("ClientBenchmark")
                    .param("contestant", ids)
                    .param("bytes", String.valueOf(BYTES))
                    .param("callers", String.valueOf(CALLERS))
                    .build())
            .run();
    Map<Contestant, Figure> figures = new LinkedHashMap<>();
    for (RunResult each : results) {
      BenchmarkParams params = each.getParams();
      String id = params.getParam("contestant");
      chosen.stream()
          .filter(contestant -> ClientBenchmark.idOf(contestant).equals(id))
          .forEach(contestant -> figures.put(contestant, Figure.of(each)));
    }
    return figures;
  }

  private static boolean isInShortSet(Contestant contestant) {
    return switch (contestant.mode()) {
      case STOCK_VIRTUAL, ASYNC, PEER -> contestant.wire() == Wire.HTTP_1;
      case HEDDLE -> true;
      case STOCK_PLATFORM -> false;
    };
  }

  // ---- tables ---------------------------------------------------------------------------------

  /** Time per operation, ours beside the baseline's; less is better. */
  static String handOverTable(Map<String, Figure> figures) {
    StringBuilder text = new StringBuilder();
    text.append(pairLine("hand-over in core, 1 caller", "µs/op", "baseline", "ratio"));
    for (Pair pair : HAND_OVER) {
      Figure ours = figures.get(pair.benchmark());
      Figure baseline = figures.get(pair.baseline());
      text.append(
          ours == null || baseline == null
              ? pairLine(pair.benchmark(), "failed", "", "")
              : pairLine(
                  pair.benchmark(),
                  number(ours.score(), 2),
                  number(baseline.score(), 2),
                  number(ours.score() / baseline.score(), 2)));
    }
    return text.toString();
  }

  /** Calls per second, beside the same library's stock client and its callbacks; more is better. */
  static String clientTable(Map<Contestant, Figure> figures) {
    StringBuilder text = new StringBuilder();
    text.append(
        clientLine(
            CALLERS + " callers, " + BYTES + " B",
            "calls/s",
            "÷ stock",
            "÷ async",
            "B/call",
            "pinned"));
    figures.forEach(
        (contestant, figure) ->
            text.append(
                clientLine(
                    contestant.name(),
                    number(figure.score(), 0),
                    ratio(figures, contestant, Mode.STOCK_VIRTUAL),
                    ratio(figures, contestant, Mode.ASYNC),
                    number(figure.allocated(), 0),
                    number(figure.pinned(), 4))));
    return text.toString();
  }

  private static String ratio(Map<Contestant, Figure> figures, Contestant ours, Mode baseline) {
    Figure figure = figures.get(ours);
    return figures.entrySet().stream()
        .filter(each -> each.getKey().library() == ours.library())
        .filter(each -> each.getKey().mode() == baseline && each.getKey().wire() == Wire.HTTP_1)
        .findFirst()
        .map(each -> figure == null ? "" : number(figure.score() / each.getValue().score(), 2))
        .orElse("failed");
  }

  private static String number(double value, int digits) {
    return Double.isNaN(value) ? "?" : String.format(Locale.ROOT, "%,." + digits + "f", value);
  }

  private static String pairLine(String what, String ours, String baseline, String ratio) {
    return String.format(Locale.ROOT, "%-42s %12s %12s %8s%n", what, ours, baseline, ratio);
  }

  private static String clientLine(
      String client, String score, String stock, String async, String bytes, String pinned) {
    return String.format(
        Locale.ROOT, "%-34s %10s %9s %9s %10s %8s%n", client, score, stock, async, bytes, pinned);
  }
}
