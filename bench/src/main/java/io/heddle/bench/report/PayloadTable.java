package io.heddle.bench.report;

import static io.heddle.bench.report.Markup.format;

import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.Ratio;
import io.heddle.bench.measure.RunRecord;
import io.heddle.bench.measure.Spread;
import io.heddle.bench.report.Chart.Bar;
import io.heddle.bench.report.Page.Entry;
import io.heddle.bench.report.Page.Figure;
import io.heddle.bench.report.Page.Row;
import io.heddle.bench.report.Page.Table;
import io.heddle.bench.scenarios.PayloadPart;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The figures of {@link PayloadPart}: each client's calls a second beside the JDK's. */
record PayloadTable(RunRecord run) {

  /** Beyond this a colour is as strong as it gets. */
  private static final double STRONGEST = 3;

  private static final String NOT_HERE = "not in this run";

  /** None if there are no figures. */
  List<Figure> figures() {
    return Stream.of(table(), longBodies()).flatMap(Optional::stream).toList();
  }

  private Optional<Figure> table() {
    return bodies().isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Figure(
                "Calls a second ÷ those of the JDK's own client, 16 callers",
                "On the same wire, with the same body, measured in turn. Above 1 (green) a client"
                    + " does more than the JDK's, below (red) less; the deeper, the farther. The"
                    + " JDK's own row has its calls a second. A ratio without brackets is of one"
                    + " round, and little sure.",
                List.of(),
                List.of(),
                Arrays.stream(Wire.values()).map(this::table).toList(),
                longBodies().isPresent()
                    ? List.of()
                    : List.of(
                        "Bodies of 200 MiB are measured in the full size, and with --promises.")));
  }

  private List<PayloadPart.Body> bodies() {
    return PayloadPart.bodies().stream()
        .filter(
            body ->
                run.cells(PayloadPart.SCENARIO).stream()
                    .anyMatch(
                        cell -> cell.variant().equals(body.variant()) && !cell.rounds().isEmpty()))
        .toList();
  }

  private Table table(Wire wire) {
    List<String> head = new ArrayList<>(List.of(""));
    bodies().forEach(body -> head.add(body.variant()));
    List<Row> rows = new ArrayList<>(List.of(row(Library.JDK, Mode.STOCK_VIRTUAL, wire)));
    for (Library library : Library.MEASURED) {
      for (Mode mode : List.of(Mode.STOCK_VIRTUAL, Mode.HEDDLE)) {
        if (library != Library.JDK || mode == Mode.HEDDLE) {
          rows.add(row(library, mode, wire));
        }
      }
    }
    return new Table("", wire.toString(), "", head, rows, "");
  }

  private Row row(Library library, Mode mode, Wire wire) {
    List<Entry> entries = new ArrayList<>();
    entries.add(Entry.of(library.label() + " " + mode.suffix()));
    String absence = "";
    int present = 0;
    for (PayloadPart.Body body : bodies()) {
      Optional<Cell> cell = cell(body, library, mode, wire);
      if (cell.isEmpty() || cell.get().rounds().isEmpty()) {
        absence = cell.map(Cell::absence).orElse(NOT_HERE);
        entries.add(Entry.of("–", "none"));
      } else {
        present++;
        entries.add(entry(cell.get()));
      }
    }
    if (present == 0) {
      entries.subList(1, entries.size()).clear();
      entries.add(new Entry(absence, "words", "", bodies().size()));
    } else if (!absence.isEmpty()) {
      entries.add(Entry.of(absence, "words"));
    }
    return new Row(mode == Mode.HEDDLE, entries);
  }

  private Optional<Cell> cell(PayloadPart.Body body, Library library, Mode mode, Wire wire) {
    return run.cell(PayloadPart.SCENARIO, body.variant(), library, mode, wire);
  }

  private Entry entry(Cell cell) {
    if (cell.library() == Library.JDK && cell.mode() == Mode.STOCK_VIRTUAL) {
      Spread speed = cell.spread(Figures::perSecond);
      return Entry.of(speed == null ? "–" : Markup.number(speed.median()));
    }
    Spread ratio =
        Ratio.baseline(run.cells(), cell)
            .map(baseline -> Ratio.spread(cell, baseline, Ratio.Of.THROUGHPUT))
            .orElse(null);
    if (ratio == null) {
      return Entry.of("–", "none");
    }
    double strength =
        Math.min(1, Math.abs(Math.log(Math.max(1e-3, ratio.median()))) / Math.log(STRONGEST));
    return new Entry(
        Markup.spread(ratio)
            + (cell.errorCount() == 0 ? "" : format(" (%,d errors)", cell.errorCount())),
        "",
        format(
            "color-mix(in srgb, var(--%s) %.0f%%, transparent)",
            ratio.median() >= 1 ? "async" : "bad", strength * 45),
        0);
  }

  /** What one body of 200 MiB takes. */
  private Optional<Figure> longBodies() {
    List<Bar> bars = new ArrayList<>();
    for (String variant : List.of(PayloadPart.LONG_GET, PayloadPart.LONG_POST)) {
      bars.add(new Bar(variant, null, null, ""));
      run.cells(PayloadPart.LONG).stream()
          .filter(cell -> cell.variant().equals(variant) && !cell.rounds().isEmpty())
          .map(
              cell ->
                  LoadCharts.bar(
                      cell.library().label() + " " + cell.mode().suffix(),
                      cell,
                      figures -> figures.perSecond() * 200,
                      each -> ""))
          .forEach(bars::add);
    }
    String title = "One body of 200 MiB at a time, HTTP/1.1";
    return bars.stream().allMatch(bar -> bar.spread() == null)
        ? Optional.empty()
        : Optional.of(
            Figure.of(
                title,
                "MiB a second, read piece by piece. Longer is better.",
                LoadCharts.legend(bars),
                Chart.bars(title, bars)));
  }
}
