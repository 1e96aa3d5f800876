package io.heddle.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.bench.contestants.Ask;
import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.load.Json;
import io.heddle.bench.load.Target;
import io.heddle.bench.load.Task;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.Machine;
import io.heddle.bench.measure.RunRecord;
import io.heddle.bench.measure.Sample;
import io.heddle.bench.measure.Syscalls;
import io.heddle.bench.measure.Timeline;
import io.heddle.bench.scenarios.LoadPart;
import io.heddle.bench.scenarios.LoadScenario;
import io.heddle.bench.scenarios.LoomPart;
import io.heddle.bench.scenarios.Matrix;
import io.heddle.bench.scenarios.PayloadPart;
import io.heddle.bench.scenarios.ServicePart;
import io.heddle.bench.scenarios.Size;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a run leaves: it says what was found, all of it, and needs nothing beside itself. */
class ReportTest {

  private static final Figures.Held HELD = new Figures.Held(10, 1, 1_000, 103_400, 0, 204_800);

  private static Figures figures(double perSecond, Map<String, Long> errors, int pins) {
    Map<String, Double> latency = new LinkedHashMap<>();
    for (String percentile : List.of("0", "25", "50", "75", "90", "95", "99", "99.9", "100")) {
      latency.put(percentile, 1.5);
    }
    return new Figures(
        (long) perSecond,
        errors,
        100,
        1,
        latency,
        0.5,
        0.4,
        1_000,
        20,
        2,
        pins,
        pins == 0 ? List.of() : List.of("Some.frame(Some.java:1)"),
        5_000_000,
        4_000_000,
        80_000_000,
        900_000_000,
        HELD,
        1.5,
        List.of(new Sample(0, 1, 2, 3, 4, 5)));
  }

  private static Figures figures(double perSecond) {
    return figures(perSecond, Map.of(), 0);
  }

  private static Cell cell(String scenario, Mode mode, Wire wire, Figures... rounds) {
    return new Cell(scenario, "", Library.APACHE, mode, wire, List.of(rounds), "", "");
  }

  private static RunRecord run(List<Cell> cells, boolean isInterrupted) {
    return run(cells, isInterrupted, "Some VM 25.0.3+9-LTS");
  }

  private static RunRecord run(List<Cell> cells, boolean isInterrupted, String java) {
    return new RunRecord(
        "bench/run report",
        "2026-01-02T03:04:05Z",
        12.5,
        "smoke size",
        isInterrupted,
        new Machine("some <system>", "some cpu", 2, 4, 3, 20_000, 28_000, 30_000, java),
        Map.of("OkHttp", "5"),
        Map.of("Server's JVM", "-XX:+UseSuchGC"),
        List.of("a note with <brackets> & more"),
        cells,
        List.of(
            new Syscalls(
                cell("closed-100", Mode.HEDDLE, Wire.HTTP_1),
                1_000,
                Map.of("futex", 1_500L, "recvfrom", 600L, "read", 400L, "mmap", 2L))),
        List.of(
            new Timeline(
                "Jetty",
                Library.APACHE,
                Mode.HEDDLE,
                Wire.HTTP_1,
                List.of(
                    new Timeline.Slot(0, 80, 12.0, 14.0, 0),
                    new Timeline.Slot(500, 0, null, null, 40)),
                List.of(new Timeline.Turn(500, 5_000)))));
  }

  /** Of six rounds, so that intervals decide. */
  private static Figures[] rounds(double... perSecond) {
    return Arrays.stream(perSecond).mapToObj(ReportTest::figures).toArray(Figures[]::new);
  }

  private static RunRecord run() {
    List<Cell> cells = new ArrayList<>();
    for (LoadScenario scenario : LoadScenario.values()) {
      String key = scenario.key();
      cells.add(cell(key, Mode.STOCK_VIRTUAL, Wire.HTTP_1, rounds(100, 50, 100, 100, 100, 100)));
      cells.add(cell(key, Mode.HEDDLE, Wire.HTTP_1, rounds(80, 60, 90, 90, 120, 110)));
      cells.add(
          new Cell(
              key,
              "",
              Library.APACHE,
              Mode.PEER,
              Wire.HTTP_2,
              List.of(),
              "",
              "it, \"quoted\",\nhas <no> figures"));
    }
    cells.add(
        new Cell(
            "closed-100",
            Cell.beside(Library.APACHE),
            Library.JDK,
            Mode.STOCK_VIRTUAL,
            Wire.HTTP_1,
            List.of(rounds(40, 40, 40, 40, 40, 40)),
            "",
            ""));
    return run(cells, false);
  }

  @Test
  void theJsonReadsBackAsItWas(@TempDir Path directory) throws Exception {
    new ReportFiles(run()).writeTo(directory);

    assertFalse(Files.readString(directory.resolve(ReportFiles.JSON)).contains("NaN"));
    assertEquals(
        run(), Json.read(Files.readString(directory.resolve(ReportFiles.JSON)), RunRecord.class));
  }

  @Test
  void aTaskReadsBackAsItWas() {
    Task task =
        new Task(
            Library.AHC,
            Mode.ASYNC,
            Wire.HTTP_2,
            Ask.get(java.net.URI.create("http://127.0.0.1:1/?hold=1")),
            Task.Load.open(10, 100_000, 5),
            new Target(java.net.URI.create("http://127.0.0.1:1/"), 4711));

    String line = Json.line(task);

    assertEquals(task, Json.read(line, Task.class));
    assertFalse(line.contains("\n"), line);
  }

  /** Each line has as many fields as the first, whatever is in them; each round has a line. */
  @Test
  void theCsvIsATable() {
    List<List<String>> lines = parse(new ReportFiles(run()).cells());

    List<String> head = lines.get(0);
    assertEquals(1 + 13 * LoadScenario.values().length + 6 + 1, lines.size());
    lines.forEach(line -> assertEquals(head.size(), line.size(), line::toString));
    List<String> first = lines.get(1);
    assertEquals("100.000", first.get(head.indexOf("calls_per_second")));
    assertEquals("10240.000", first.get(head.indexOf("heap_per_held_call")));
    assertEquals("1.500", first.get(head.indexOf("warm_up_seconds")));
    assertEquals("it, \"quoted\",\nhas <no> figures", lines.get(13).get(head.indexOf("absence")));
    List<String> traced = lines.get(lines.size() - 1);
    assertEquals("strace", traced.get(head.indexOf("round")));
    assertEquals("2.502", traced.get(head.indexOf("syscalls_per_call")));
    assertEquals("1.500", traced.get(head.indexOf("futex_per_call")));
    assertEquals("1.000", traced.get(head.indexOf("read_per_call")));
    assertEquals("0.000", traced.get(head.indexOf("epoll_wait_per_call")));
  }

  /** In the CSV and in the JSON, with what their intervals are worth. */
  @Test
  void ratiosAreOfThoseWhoTookTurns() {
    List<List<String>> lines = parse(new ReportFiles(run()).ratios());

    List<String> head = lines.get(0);
    assertEquals("one", head.get(2));
    List<List<String>> throughput =
        lines.stream()
            .filter(line -> line.get(0).equals("closed-100"))
            .filter(line -> line.get(head.indexOf("figure")).equals("calls_per_second"))
            .map(line -> line.subList(2, head.size()))
            .toList();
    String stock = "Apache stock, HTTP/1.1";
    String ours = "Apache with Heddle, HTTP/1.1";
    String jdk = "JDK stock, HTTP/1.1";
    String figure = "calls_per_second";
    assertEquals(
        List.of(
            List.of(stock, jdk, figure, "2.500", "1.250", "2.500", "0.9688", "6"),
            List.of(ours, stock, figure, "1.000", "0.800", "1.200", "0.9688", "6"),
            List.of(ours, jdk, figure, "2.250", "1.500", "3.000", "0.9688", "6")),
        throughput);
    assertTrue(lines.stream().noneMatch(line -> line.get(0).equals("at-once")), "no turns");
    assertTrue(Json.pretty(run()).contains("\"confidence\" : 0.96875"));
  }

  /** As RFC 4180 has it. */
  private static List<List<String>> parse(String csv) {
    List<List<String>> lines = new ArrayList<>();
    List<String> line = new ArrayList<>();
    Matcher field = Pattern.compile("(?:\"((?:[^\"]|\"\")*)\"|([^,\r\n]*))(,|\r\n)").matcher(csv);
    int end = 0;
    while (end < csv.length() && field.find(end)) {
      assertEquals(end, field.start());
      line.add(field.group(1) == null ? field.group(2) : field.group(1).replace("\"\"", "\""));
      if (field.group(3).equals("\r\n")) {
        lines.add(line);
        line = new ArrayList<>();
      }
      end = field.end();
    }
    assertEquals(csv.length(), end);
    return lines;
  }

  @Test
  void thePageNeedsNothingBesideItself() {
    String html = new HtmlReport(run()).html();

    assertFalse(html.contains("<script"), "a script");
    assertFalse(html.contains("<link"), "a link to another file");
    assertFalse(
        Pattern.compile("(src|href)\\s*=\\s*['\"](?!#)").matcher(html).find(), "a reference");
    assertFalse(
        html.contains("@import") || Pattern.compile("url\\((?!#)").matcher(html).find(),
        "a reference in the style");
  }

  /** Every element that is opened is closed, in order. */
  @Test
  void thePageIsWellFormed() {
    String html = new HtmlReport(run()).html();
    List<String> open = new ArrayList<>();
    Matcher tag =
        Pattern.compile("<(/?)([a-z0-9]+)((?:[^>'\"]|'[^']*'|\"[^\"]*\")*?)(/?)>").matcher(html);
    while (tag.find()) {
      if (tag.group(2).equals("meta") || !tag.group(4).isEmpty()) {
        continue;
      }
      if (tag.group(1).isEmpty()) {
        open.add(tag.group(2));
      } else {
        assertEquals(tag.group(2), open.remove(open.size() - 1), tag.toMatchResult().toString());
      }
    }
    assertEquals(List.of(), open);
  }

  @Test
  void textIsNoMarkup() {
    String html = new HtmlReport(run()).html();

    assertTrue(html.contains("a note with &lt;brackets&gt; &amp; more"));
    assertTrue(html.contains("has &lt;no&gt; figures"));
    assertFalse(html.contains("<no>"));
    assertFalse(html.contains("NaN"));
  }

  @Test
  void everyCellIsOnThePage() {
    String html = new HtmlReport(run()).html();

    for (Cell cell : run().cells()) {
      assertTrue(html.contains("<td>" + cell.fullName() + "</td>"), cell::fullName);
    }
    assertEquals(LoadScenario.values().length, html.split("has &lt;no&gt; figures", -1).length - 1);
  }

  @Test
  void anInterruptedRunSaysSo() {
    assertTrue(new HtmlReport(run(List.of(), true)).html().contains("was interrupted"));
    assertFalse(new HtmlReport(run(List.of(), false)).html().contains("was interrupted"));
  }

  /** The table of all figures has the ratios beside those; so has the one of the main job. */
  @Test
  void ratiosStandBesideTheFigures() {
    String html = new HtmlReport(run()).html();
    assertTrue(html.contains("<td>1.00 (0.80–1.20)</td>"), "÷ stock");
    assertTrue(html.contains("<td>2.25 (1.50–3.00)</td>"), "÷ JDK's");

    List<Cell> cells =
        run().cells().stream().filter(each -> each.scenario().equals("closed-100")).toList();
    String text = new ResultTable(cells).text();
    assertTrue(text.contains("1.00 (0.80–1.20)") && text.contains("2.25 (1.50–3.00)"), text);
    assertTrue(text.contains("JDK stock, HTTP/1.1, beside Apache"), text);
  }

  @Test
  void thePageSaysWhatTheJvmsRanWithAndWhatWasTraced() {
    String html = new HtmlReport(run()).html();

    assertTrue(html.contains("<dt>Server&#39;s JVM</dt><dd>-XX:+UseSuchGC</dd>"), html);
    assertTrue(html.contains("How many system calls does a call take?"));
  }

  private static Verdicts.Verdict verdict(double... rounds) {
    double[] stock = new double[rounds.length];
    Arrays.fill(stock, 100);
    RunRecord run =
        run(
            List.of(
                cell("closed-100", Mode.STOCK_VIRTUAL, Wire.HTTP_1, rounds(stock)),
                cell("closed-100", Mode.HEDDLE, Wire.HTTP_1, rounds(rounds))),
            false);
    return promise(run, "throughput ÷ stock on virtual threads, HTTP/1.1, 100 callers")
        .of(Library.APACHE);
  }

  /** The bar is 1. */
  @Test
  void theIntervalDecidesNotTheMedian() {
    assertEquals(
        new Verdicts.Verdict(Verdicts.Finding.KEPT, "1.03 (1.00–1.10)"),
        verdict(110, 100, 101, 104, 105, 102));
    assertEquals(
        new Verdicts.Verdict(Verdicts.Finding.UNDECIDED, "1.03 (0.99–1.10)"),
        verdict(110, 99, 101, 104, 105, 102));
    assertEquals(
        new Verdicts.Verdict(Verdicts.Finding.UNDECIDED, "0.97 (0.90–1.00)"),
        verdict(90, 97, 96, 97, 97, 100));
    assertEquals(
        new Verdicts.Verdict(Verdicts.Finding.MISSED, "0.97 (0.90–0.99)"),
        verdict(90, 97, 96, 97, 97, 99));
  }

  @Test
  void fewRoundsDecideNothing() {
    assertEquals(
        new Verdicts.Verdict(Verdicts.Finding.UNDECIDED, "2.00 (1.90–2.10: 75 %)"),
        verdict(200, 190, 210));
    assertEquals(new Verdicts.Verdict(Verdicts.Finding.UNDECIDED, "0.50"), verdict(50));
    assertEquals(Verdicts.Finding.KEPT, verdict(200, 190, 210, 190, 210).finding());
  }

  /** A line for each JDK; of two runs on one the worse counts. */
  @Test
  void promisesOfSeveralRunsAreOneTable() {
    RunRecord nothing = run(List.of(), false);
    RunRecord on25 = run(List.of(pinned(3)), false);
    RunRecord clean = run(List.of(pinned(0)), false);
    RunRecord on21 = run(List.of(pinned(0)), false, "Some VM 21.0.8+9-LTS");

    List<String> lines =
        new PromiseTable(List.of(nothing, on21, clean, on25, clean)).markdown().lines().toList();

    assertEquals(
        List.of(
            "| Heddle's figure | Bar | JDK | Apache | OkHttp | Jetty | AHC | JDK |",
            "|---|---|---|---|---|---|---|---|",
            "| errors | 0 | 25 | ✓ 0 | not measured | not measured | not measured | not measured |",
            "|  |  | 21 | ✓ 0 | not measured | not measured | not measured | not measured |",
            "| pins | 0 | 25 | ✗ 3 | not measured | not measured | not measured | not measured |",
            "|  |  | 21 | ✓ 0 | not measured | not measured | not measured | not measured |"),
        lines);
  }

  @Test
  void whatHasNoBarIsTold() {
    Figures[] rounds = rounds(100, 100, 100, 100, 100, 100);
    RunRecord run =
        run(
            List.of(
                new Cell(
                    "closed-100",
                    "",
                    Library.OKHTTP,
                    Mode.STOCK_VIRTUAL,
                    Wire.HTTP_1,
                    List.of(rounds),
                    "",
                    ""),
                new Cell(
                    "closed-100",
                    "",
                    Library.OKHTTP,
                    Mode.HEDDLE,
                    Wire.HTTP_2,
                    List.of(rounds),
                    "",
                    "")),
            false);

    String table = new PromiseTable(List.of(run)).markdown();

    assertTrue(
        table.contains(
            "100 callers | ≥ 1.50, OkHttp and JDK none | 25 | not measured | 1.00 (1.00–1.00) |"),
        table);
  }

  private static Cell pinned(int pins) {
    return cell("at-once", Mode.HEDDLE, Wire.HTTP_1, figures(1, Map.of(), pins));
  }

  @Test
  void verdictsComparePairs() {
    Verdicts.Promise promise = promise(run(), "÷ stock on virtual threads, HTTP/1.1, 100 callers");

    assertEquals(
        new Verdicts.Verdict(Verdicts.Finding.UNDECIDED, "1.00 (0.80–1.20)"),
        promise.of(Library.APACHE));
    assertEquals(Verdicts.Verdict.UNKNOWN, promise.of(Library.JETTY));
  }

  @Test
  void aLossIsCalledOne() {
    Figures[] ours = rounds(94, 94, 94, 94, 94, 94);
    ours[2] = figures(94, Map.of("reset", 2L), 3);
    RunRecord run =
        run(
            List.of(
                cell("closed-100", Mode.ASYNC, Wire.HTTP_1, rounds(100, 100, 100, 100, 100, 100)),
                cell("closed-100", Mode.HEDDLE, Wire.HTTP_1, ours)),
            false);

    assertEquals(
        new Verdicts.Verdict(Verdicts.Finding.MISSED, "0.94 (0.94–0.94)"),
        promise(run, "÷ async callbacks, HTTP/1.1, 100 callers").of(Library.APACHE));
    assertEquals(
        new Verdicts.Verdict(Verdicts.Finding.MISSED, "3"),
        promise(run, "pins").of(Library.APACHE));
    assertEquals(
        new Verdicts.Verdict(Verdicts.Finding.MISSED, "2"),
        promise(run, "errors").of(Library.APACHE));
    assertTrue(new HtmlReport(run).html().contains("pinned at Some.frame(Some.java:1)"));
    ResultTable table = new ResultTable(run.cells());
    assertFalse(table.isGood());
    assertTrue(table.verdict().startsWith("FAILED: Heddle pinned 3 times, with 2 errors"));
  }

  /** What has no ratios, system calls or flags in its file, as those of the first versions. */
  @Test
  void olderResultsStillMakeAPage() throws Exception {
    try (Stream<Path> kept = Files.list(Path.of("results"))) {
      List<Path> files =
          kept.map(each -> each.resolve(ReportFiles.JSON)).filter(Files::exists).toList();
      assertFalse(files.isEmpty());
      for (Path file : files) {
        RunRecord run = Json.read(Files.readString(file), RunRecord.class);
        assertTrue(new HtmlReport(run).html().contains("What was promised"), file::toString);
        assertFalse(new ReportFiles(run).cells().isEmpty());
        assertFalse(Json.line(run).isEmpty());
      }
    }
  }

  private static Verdicts.Promise promise(RunRecord run, String end) {
    return new Verdicts(run)
        .all().stream().filter(each -> each.what().endsWith(end)).findFirst().orElseThrow();
  }

  /** What had been measured stays; each of the others has words. */
  @Test
  void anInterruptedRunHasWordsForTheRest() {
    Cell measured = cell("closed-100", Mode.HEDDLE, Wire.HTTP_1, figures(1));
    List<Cell> rest =
        LoadPart.notReached(
            LoadPart.Choice.of(Size.DEFAULT, Library.MEASURED, null), List.of(measured));

    assertEquals(
        Library.MEASURED.size()
                * Mode.values().length
                * Wire.values().length
                * LoadScenario.values().length
            - 1,
        rest.size());
    assertTrue(rest.stream().noneMatch(measured::isSameCell));
    assertTrue(rest.stream().noneMatch(each -> each.absence().isEmpty()));
    assertTrue(rest.stream().anyMatch(each -> each.absence().equals(Matrix.NOT_REACHED)));
  }

  /** Each library, mode and wire has figures in each scenario, or words in their place. */
  @Test
  void nothingIsLeftOutWithoutAWord() {
    for (Size size : Size.values()) {
      LoadPart.Choice choice = LoadPart.Choice.of(size, Library.MEASURED, null);
      for (LoadScenario scenario : LoadScenario.values()) {
        for (Library library : Library.MEASURED) {
          for (Mode mode : Mode.values()) {
            for (Wire wire : Wire.values()) {
              boolean isMeasured =
                  choice.run().contains(scenario)
                      && LoadPart.contestants(size, scenario, library).stream()
                          .anyMatch(each -> each.mode() == mode && each.wire() == wire);
              assertNotEquals(
                  isMeasured,
                  !LoadPart.absence(choice, scenario, library, mode, wire).isEmpty(),
                  () -> size + " " + scenario + " " + library + " " + mode + " " + wire);
            }
          }
        }
      }
    }
  }

  /** TLS is in the full size alone; named, it is measured in any. */
  @Test
  void aScenarioThatIsNamedIsMeasuredInEachSize() {
    for (Size size : Size.values()) {
      Set<LoadScenario> named = EnumSet.of(LoadScenario.CLOSED_100_TLS);
      LoadPart.Choice choice = LoadPart.Choice.of(size, List.of(Library.APACHE), named);

      assertEquals(size == Size.FULL, LoadScenario.in(size).contains(LoadScenario.CLOSED_100_TLS));
      assertEquals(
          "",
          LoadPart.absence(
              choice,
              LoadScenario.CLOSED_100_TLS,
              Library.APACHE,
              Mode.STOCK_VIRTUAL,
              Wire.HTTP_1));
      assertEquals(
          named.size() * Mode.values().length * Wire.values().length,
          LoadPart.notReached(choice, List.of()).size());
    }
  }

  /** The same of services, with all libraries and with one. */
  @Test
  void noServiceIsLeftOutWithoutAWord() {
    for (Size size : Size.values()) {
      for (List<Library> libraries : List.of(Library.MEASURED, List.of(Library.OKHTTP))) {
        assertComplete(size, libraries, ServicePart.MODES, each -> ServicePart.isIn(size, each));
        assertComplete(size, libraries, LoomPart.MODES, each -> LoomPart.isIn(size, each));
      }
    }
  }

  private static void assertComplete(
      Size size, List<Library> libraries, List<Mode> modes, Predicate<Contestant> isIn) {
    List<String> names = new ArrayList<>();
    Matrix.contestants(size, libraries, modes, isIn).forEach(each -> names.add(each.name()));
    assertFalse(names.isEmpty());
    for (Cell words : Matrix.absent(size, "scenario", "", libraries, modes, isIn)) {
      assertFalse(words.absence().isEmpty());
      names.add(words.name());
    }
    List<String> all = new ArrayList<>();
    for (Library library : libraries) {
      for (Mode mode : modes) {
        for (Wire wire : Wire.values()) {
          all.add(library.label() + " " + mode.suffix() + ", " + wire);
        }
      }
    }
    Collections.sort(names);
    Collections.sort(all);
    assertEquals(all, names);
  }

  @Test
  void longBodiesNeedNoShortOnesBesideThem() {
    Cell cell =
        new Cell(
            PayloadPart.LONG,
            PayloadPart.LONG_GET,
            Library.APACHE,
            Mode.HEDDLE,
            Wire.HTTP_1,
            List.of(figures(2)),
            "",
            "");

    assertEquals(
        List.of("One body of 200 MiB at a time, HTTP/1.1"),
        new PayloadTable(run(List.of(cell), false))
            .figures().stream().map(Page.Figure::title).toList());
    assertEquals(List.of(), new PayloadTable(run(List.of(), false)).figures());
  }

  /** The peer bridge has no figures in the run, the callbacks are not in it at all. */
  @Test
  void aLegendNamesOnlyWhatIsDrawn() {
    Page.Figure throughput = new LoadCharts(run()).throughput().get(0);
    assertEquals(
        List.of("stock-virtual", "heddle"),
        throughput.legend().stream().map(Page.Swatch::style).toList());
    assertEquals(
        List.of("virtual threads, Heddle, HTTP/1.1"),
        new ServiceCharts(run())
            .service().get(0).legend().stream().map(Page.Swatch::label).toList());
  }

  @Test
  void theSlowServiceIsMeasuredWithStockOnVirtualThreadsToo() {
    assertEquals(List.of(Mode.STOCK_PLATFORM, Mode.STOCK_VIRTUAL, Mode.HEDDLE), ServicePart.MODES);
    for (Mode mode : ServicePart.MODES) {
      Timeline timeline =
          new Timeline("Jetty", Library.APACHE, mode, Wire.HTTP_1, List.of(), List.of());
      assertEquals(mode != Mode.STOCK_PLATFORM, timeline.name().startsWith("virtual threads, "));
      assertEquals(mode != Mode.HEDDLE, timeline.name().contains("stock client"));
    }
  }

  /** Files of their own, with the colours of both themes. */
  @Test
  void thePicturesAreWellFormed(@TempDir Path directory) throws Exception {
    List<Picture> pictures = Picture.of(run());
    assertEquals(
        List.of("waiting-heap.svg", "slow-service.svg"),
        pictures.stream().map(Picture::file).toList());
    for (Picture picture : pictures) {
      picture.writeTo(directory);
      Path file = directory.resolve(picture.file());
      assertEquals(
          "svg",
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(file.toFile())
              .getDocumentElement()
              .getTagName());
      String svg = Files.readString(file);
      assertTrue(svg.contains("prefers-color-scheme: dark") && svg.contains("var(--heddle)"));
      assertFalse(svg.contains("var(--peer)"), "what is not drawn");
    }
    assertEquals(
        List.of(),
        Picture.of(run(List.of(), false)).stream()
            .filter(each -> each.file().startsWith("waiting"))
            .toList());
  }
}
