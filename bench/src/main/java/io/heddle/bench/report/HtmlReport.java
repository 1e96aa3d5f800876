package io.heddle.bench.report;

import static io.heddle.bench.report.Markup.escape;
import static io.heddle.bench.report.Markup.format;

import io.heddle.bench.contestants.Library;
import io.heddle.bench.measure.Machine;
import io.heddle.bench.measure.RunRecord;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The page: what was promised and whether it held, a chart for each question, and every cell. It
 * needs nothing beside itself.
 */
final class HtmlReport {

  private final RunRecord run;
  private final StringBuilder page = new StringBuilder();

  HtmlReport(RunRecord run) {
    this.run = run;
  }

  /** The whole page. */
  String html() {
    page.setLength(0);
    page.append("<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'>")
        .append("<meta name='viewport' content='width=device-width, initial-scale=1'>")
        .append("<title>Heddle bench</title><style>")
        .append(style())
        .append("</style></head><body><main>");
    head();
    List<Section> sections = sections();
    page.append("<nav>");
    for (Section section : sections) {
      page.append(format("<a href='#%s'>%s</a>", section.id(), escape(section.title())));
    }
    page.append("</nav>");
    for (Section section : sections) {
      page.append(format("<h2 id='%s'>%s</h2>", section.id(), escape(section.title())));
      page.append(section.body());
    }
    return page.append("</main></body></html>\n").toString();
  }

  private record Section(String id, String title, String body) {}

  private List<Section> sections() {
    List<Section> sections = new ArrayList<>();
    add(sections, "promises", "What was promised, and what came of it", verdicts());
    LoadCharts load = new LoadCharts(run);
    add(sections, "throughput", "How many calls a second?", load.throughput());
    add(sections, "ratios", "What does Heddle gain or lose?", load.ratios());
    add(sections, "latency", "How long does a call take that comes when it comes?", load.latency());
    add(sections, "memory", "What does a waiting call hold?", load.memory());
    ServiceCharts services = new ServiceCharts(run);
    add(sections, "service", "What if a service that yours calls turns slow?", services.service());
    add(sections, "loom", "What if three calls in a row take a second?", services.loom());
    add(sections, "payload", "What about bodies?", new PayloadTable(run).html());
    CellTable cells = new CellTable(run);
    add(sections, "server", "Was the server the bottleneck?", cells.server());
    add(sections, "cells", "All figures", cells.all());
    add(sections, "machine", "Machine and versions", machine());
    return sections;
  }

  private static void add(List<Section> sections, String id, String title, String body) {
    if (!body.isEmpty()) {
      sections.add(new Section(id, title, body));
    }
  }

  private static String style() {
    try (InputStream in = HtmlReport.class.getResourceAsStream("report.css")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void head() {
    page.append("<h1>Heddle bench</h1>");
    page.append(
        format(
            "<p class='muted'>%s · %s · %s · %d processors · %s · %.0f s</p>",
            escape(run.started()),
            escape(run.size()),
            escape(run.machine().java()),
            run.machine().processors(),
            escape(run.machine().cpu()),
            run.seconds()));
    page.append(format("<p><code>%s</code></p>", escape(run.command())));
    if (run.isInterrupted()) {
      page.append(
          "<p class='banner'>This run was interrupted. What follows is what had been measured.</p>");
    }
    page.append(
        "<p>HTTP clients side by side: their stock blocking interfaces on platform and on virtual"
            + " threads, Heddle on virtual threads, and their own callbacks, which are the limit."
            + " Client and server shared this machine, so ratios within one run are what to read,"
            + " not the figures by themselves. Where something was measured several times, the"
            + " figure is the median, and the thin line, or what stands in brackets, is the"
            + " spread.</p>");
    if (!run.notes().isEmpty()) {
      page.append("<details open><summary>What was scaled or left out</summary><ul>");
      run.notes().forEach(note -> page.append("<li>").append(escape(note)).append("</li>"));
      page.append("</ul></details>");
    }
  }

  private String verdicts() {
    StringBuilder table =
        new StringBuilder("<div class='scroll'><table class='verdicts'><tr><th>Heddle's</th>");
    table.append("<th>promised</th>");
    Library.bridged()
        .forEach(each -> table.append("<th>").append(escape(each.label())).append("</th>"));
    table.append("</tr>");
    int met = 0;
    int missed = 0;
    List<String> unknown = new ArrayList<>();
    for (Verdicts.Promise promise : new Verdicts(run).all()) {
      if (promise.verdicts().stream()
          .allMatch(each -> each.finding() == Verdicts.Finding.UNKNOWN)) {
        unknown.add(promise.what() + " (" + promise.bar() + ")");
        continue;
      }
      table.append(
          format(
              "<tr><td class='long'>%s</td><td>%s</td>",
              escape(promise.what()), escape(promise.bar())));
      for (Verdicts.Verdict verdict : promise.verdicts()) {
        String style =
            switch (verdict.finding()) {
              case MET -> "good";
              case MISSED -> "bad";
              case UNKNOWN -> "none";
            };
        String mark =
            switch (verdict.finding()) {
              case MET -> "✓ ";
              case MISSED -> "✗ ";
              case UNKNOWN -> "";
            };
        met += verdict.finding() == Verdicts.Finding.MET ? 1 : 0;
        missed += verdict.finding() == Verdicts.Finding.MISSED ? 1 : 0;
        table.append(format("<td class='%s'>%s%s</td>", style, mark, escape(verdict.text())));
      }
      table.append("</tr>");
    }
    table.append("</table></div>");
    if (!unknown.isEmpty()) {
      table.append(
          format(
              "<details><summary>%d not measured in this run</summary><p class='muted'>%s</p></details>",
              unknown.size(), escape(String.join("; ", unknown))));
    }
    return format("<p>%d met (✓), %d missed (✗).</p>", met, missed) + table;
  }

  private String machine() {
    Machine machine = run.machine();
    StringBuilder list = new StringBuilder("<dl>");
    item(list, "System", machine.os());
    item(list, "Processor", machine.processors() + " × " + machine.cpu());
    item(
        list,
        "Memory",
        format("%,d MiB, %,d free", machine.memoryBytes() >> 20, machine.availableBytes() >> 20));
    item(list, "Descriptors", format("%,d for a process", machine.descriptors()));
    item(list, "Ports", format("%,d for each destination", machine.ports()));
    item(list, "Threads", format("%,d further ones", machine.threads()));
    item(list, "Java", machine.java());
    run.versions().forEach((what, version) -> item(list, what, version));
    return list.append("</dl>").toString();
  }

  private static void item(StringBuilder list, String what, String text) {
    list.append(format("<dt>%s</dt><dd>%s</dd>", escape(what), escape(text)));
  }
}
