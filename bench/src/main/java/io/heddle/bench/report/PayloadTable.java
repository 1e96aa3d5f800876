package io.heddle.bench.report;

import static io.heddle.bench.report.Markup.escape;
import static io.heddle.bench.report.Markup.format;

import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.RunRecord;
import io.heddle.bench.measure.Spread;
import io.heddle.bench.scenarios.PayloadPart;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The chart of {@link PayloadPart}: each client's calls a second beside Jetty's. */
record PayloadTable(RunRecord run) {

  /** Beyond this a colour is as strong as it gets. */
  private static final double STRONGEST = 3;

  /** Empty if there are no figures. */
  String html() {
    boolean hasTable =
        run.cells(PayloadPart.SCENARIO).stream().anyMatch(cell -> !cell.rounds().isEmpty());
    boolean hasLong =
        run.cells(PayloadPart.LONG).stream().anyMatch(cell -> !cell.rounds().isEmpty());
    return hasTable ? table() + longBodies() : hasLong ? longBodies() : "";
  }

  private String table() {
    StringBuilder html =
        new StringBuilder(
            "<figure><h3>Calls a second ÷ those of Jetty's stock client, 16 callers</h3>"
                + "<figcaption>On the same wire, with the same body, measured in turn. Above 1"
                + " (green) a client does more than Jetty's, below (red) less; the deeper, the"
                + " farther. Jetty's own row has its calls a second.</figcaption>");
    for (Wire wire : Wire.values()) {
      html.append(table(wire));
    }
    return html.append("</figure>").toString();
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

  private String table(Wire wire) {
    StringBuilder html =
        new StringBuilder(format("<h3>%s</h3><div class='scroll'><table><tr><th></th>", wire));
    bodies().forEach(body -> html.append("<th>").append(escape(body.variant())).append("</th>"));
    html.append("</tr>");
    row(html, Library.JETTY, Mode.STOCK_VIRTUAL, wire);
    for (Library library : Library.values()) {
      for (Mode mode : List.of(Mode.STOCK_VIRTUAL, Mode.HEDDLE)) {
        if (library != Library.JETTY || mode == Mode.HEDDLE) {
          row(html, library, mode, wire);
        }
      }
    }
    return html.append("</table></div>").toString();
  }

  private void row(StringBuilder html, Library library, Mode mode, Wire wire) {
    StringBuilder row =
        new StringBuilder(
            format(
                "<tr%s><td>%s %s</td>",
                mode == Mode.HEDDLE ? " class='ours'" : "",
                escape(library.label()),
                escape(mode.suffix())));
    List<Cell> cells =
        bodies().stream().flatMap(body -> cell(body, library, mode, wire).stream()).toList();
    if (cells.stream().allMatch(cell -> cell.rounds().isEmpty())) {
      String words = cells.isEmpty() ? "not in this run" : cells.get(0).absence();
      html.append(row)
          .append(
              format(
                  "<td class='words' colspan='%d'>%s</td></tr>", bodies().size(), escape(words)));
      return;
    }
    boolean isJetty = library == Library.JETTY && mode == Mode.STOCK_VIRTUAL;
    String absence = "";
    for (PayloadPart.Body body : bodies()) {
      Optional<Cell> cell = cell(body, library, mode, wire);
      Optional<Cell> jetty = cell(body, Library.JETTY, Mode.STOCK_VIRTUAL, wire);
      if (cell.isEmpty() || cell.get().rounds().isEmpty()) {
        absence = cell.map(Cell::absence).orElse("not in this run");
        row.append("<td class='none'>–</td>");
      } else if (isJetty || jetty.isEmpty()) {
        Spread speed = cell.get().spread(Figures::perSecond);
        row.append(format("<td>%s</td>", speed == null ? "–" : Markup.number(speed.median())));
      } else {
        row.append(ratio(cell.get(), jetty.get()));
      }
    }
    if (!absence.isEmpty()) {
      row.append(format("<td class='words'>%s</td>", escape(absence)));
    }
    html.append(row).append("</tr>");
  }

  private Optional<Cell> cell(PayloadPart.Body body, Library library, Mode mode, Wire wire) {
    return run.cell(PayloadPart.SCENARIO, body.variant(), library, mode, wire);
  }

  private static String ratio(Cell cell, Cell jetty) {
    Spread ratio =
        Spread.ofRatios(cell.values(Figures::perSecond), jetty.values(Figures::perSecond));
    if (ratio == null) {
      return "<td class='none'>–</td>";
    }
    double strength =
        Math.min(1, Math.abs(Math.log(Math.max(1e-3, ratio.median()))) / Math.log(STRONGEST));
    return format(
        "<td style='background:color-mix(in srgb, var(--%s) %.0f%%, transparent)' title='%s'>%s%s</td>",
        ratio.median() >= 1 ? "async" : "bad",
        strength * 45,
        escape(Markup.spread(ratio)),
        Markup.ratio(ratio.median()),
        cell.errorCount() == 0 ? "" : format(" (%,d errors)", cell.errorCount()));
  }

  /** What one body of 200 MiB takes. */
  private String longBodies() {
    List<Cell> cells =
        run.cells(PayloadPart.LONG).stream().filter(cell -> !cell.rounds().isEmpty()).toList();
    if (cells.isEmpty()) {
      return "<p class='muted'>Bodies of 200 MiB are measured in the full size, and with"
          + " --promises.</p>";
    }
    BarChart chart = new BarChart();
    for (String variant : List.of(PayloadPart.LONG_GET, PayloadPart.LONG_POST)) {
      chart.group(variant);
      List<Cell> these = new ArrayList<>(cells);
      these.removeIf(cell -> !cell.variant().equals(variant));
      for (Cell cell : these) {
        chart.bar(
            cell.library().label() + " " + cell.mode().suffix(),
            Markup.style(cell.mode(), cell.wire()),
            cell.spread(figures -> figures.perSecond() * 200),
            "");
      }
    }
    return "<figure><h3>One body of 200 MiB at a time, HTTP/1.1</h3><figcaption>MiB a second, read"
        + " piece by piece. Longer is better.</figcaption>"
        + LoadCharts.legend(List.of(Mode.STOCK_VIRTUAL, Mode.HEDDLE))
        + chart.svg("MiB a second")
        + "</figure>";
  }
}
