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
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
        List.of(new Sample(0, 1, 2, 3, 4, 5)));
  }

  private static Figures figures(double perSecond) {
    return figures(perSecond, Map.of(), 0);
  }

  private static Cell cell(String scenario, Mode mode, Wire wire, Figures... rounds) {
    return new Cell(scenario, "", Library.APACHE, mode, wire, List.of(rounds), "", "");
  }

  private static RunRecord run(List<Cell> cells, boolean isInterrupted) {
    return new RunRecord(
        "bench/run report",
        "2026-01-02T03:04:05Z",
        12.5,
        "smoke size",
        isInterrupted,
        new Machine("some <system>", "some cpu", 2, 4, 3, 20_000, 28_000, 30_000, "some JDK"),
        Map.of("OkHttp", "5"),
        List.of("a note with <brackets> & more"),
        cells,
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

  private static RunRecord run() {
    List<Cell> cells = new ArrayList<>();
    for (LoadScenario scenario : LoadScenario.values()) {
      cells.add(cell(scenario.key(), Mode.STOCK_VIRTUAL, Wire.HTTP_1, figures(100), figures(50)));
      cells.add(cell(scenario.key(), Mode.HEDDLE, Wire.HTTP_1, figures(80), figures(60)));
      cells.add(
          new Cell(
              scenario.key(),
              "",
              Library.APACHE,
              Mode.PEER,
              Wire.HTTP_2,
              List.of(),
              "",
              "it, \"quoted\",\nhas <no> figures"));
    }
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

  /** Each line has as many fields as the first, whatever is in them; each cell has a line. */
  @Test
  void theCsvIsATable() {
    List<List<String>> lines = parse(new ReportFiles(run()).csv());

    List<String> head = lines.get(0);
    assertEquals(1 + 5 * LoadScenario.values().length, lines.size());
    lines.forEach(line -> assertEquals(head.size(), line.size(), line::toString));
    List<String> first = lines.get(1);
    assertEquals("100.000", first.get(head.indexOf("calls_per_second")));
    assertEquals("10240.000", first.get(head.indexOf("heap_per_held_call")));
    assertEquals("it, \"quoted\",\nhas <no> figures", lines.get(5).get(head.indexOf("absence")));
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
      assertTrue(html.contains("<td>" + cell.name() + "</td>"), cell::name);
    }
    assertEquals(LoadScenario.values().length, html.split("has &lt;no&gt; figures", -1).length - 1);
  }

  @Test
  void anInterruptedRunSaysSo() {
    assertTrue(new HtmlReport(run(List.of(), true)).html().contains("was interrupted"));
    assertFalse(new HtmlReport(run(List.of(), false)).html().contains("was interrupted"));
  }

  @Test
  void verdictsComparePairs() {
    Verdicts.Promise promise = promise(run(), "÷ stock on virtual threads, HTTP/1.1, 100 callers");

    // 80 ÷ 100 and 60 ÷ 50
    assertEquals(
        new Verdicts.Verdict(Verdicts.Finding.MET, "1.00 (0.80–1.20)"),
        promise.verdicts().get(Library.bridged().indexOf(Library.APACHE)));
    assertEquals(
        Verdicts.Verdict.UNKNOWN, promise.verdicts().get(Library.bridged().indexOf(Library.JETTY)));
  }

  @Test
  void aLossIsCalledOne() {
    RunRecord run =
        run(
            List.of(
                cell("closed-100", Mode.ASYNC, Wire.HTTP_1, figures(100)),
                cell("closed-100", Mode.HEDDLE, Wire.HTTP_1, figures(94, Map.of(), 3))),
            false);

    assertEquals(
        new Verdicts.Verdict(Verdicts.Finding.MISSED, "0.94"),
        promise(run, "÷ async callbacks, HTTP/1.1, 100 callers").verdicts().get(0));
    assertEquals(
        new Verdicts.Verdict(Verdicts.Finding.MISSED, "3"), promise(run, "pins").verdicts().get(0));
    assertTrue(new HtmlReport(run).html().contains("pinned at Some.frame(Some.java:1)"));
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
            List.of(measured),
            Size.DEFAULT,
            List.of(Library.values()),
            EnumSet.allOf(LoadScenario.class));

    assertEquals(
        Library.values().length
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
      for (LoadScenario scenario : LoadScenario.values()) {
        for (Library library : Library.values()) {
          for (Mode mode : Mode.values()) {
            for (Wire wire : Wire.values()) {
              boolean isMeasured =
                  scenario.isIn(size)
                      && LoadPart.contestants(size, library).stream()
                          .anyMatch(each -> each.mode() == mode && each.wire() == wire);
              assertNotEquals(
                  isMeasured,
                  !LoadPart.absence(size, scenario, library, mode, wire).isEmpty(),
                  () -> size + " " + scenario + " " + library + " " + mode + " " + wire);
            }
          }
        }
      }
    }
  }

  /** The same of services, with all libraries and with one. */
  @Test
  void noServiceIsLeftOutWithoutAWord() {
    for (Size size : Size.values()) {
      for (List<Library> libraries : List.of(List.of(Library.values()), List.of(Library.OKHTTP))) {
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
