package io.heddle.bench.report;

import static io.heddle.bench.report.Markup.format;

import com.samskivert.mustache.Mustache;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.measure.Machine;
import io.heddle.bench.measure.RunRecord;
import io.heddle.bench.measure.Syscalls;
import io.heddle.bench.report.Page.Entry;
import io.heddle.bench.report.Page.Row;
import io.heddle.bench.report.Page.Section;
import io.heddle.bench.report.Page.Table;
import io.heddle.bench.report.Page.Term;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The page: what was promised and whether it held, a chart for each question, and every cell. It
 * needs nothing beside itself.
 */
record HtmlReport(RunRecord run) {

  /** The whole page. */
  String html() {
    return Mustache.compiler()
        .emptyStringIsFalse(true)
        .zeroIsFalse(true)
        .defaultValue("") // the first of an empty list
        .withLoader(name -> new StringReader(resource(name + ".mustache")))
        .compile(resource("page.mustache"))
        .execute(
            new Page(
                resource("colors.css") + resource("report.css"),
                head(),
                run.command(),
                run.isInterrupted(),
                run.notes(),
                sections()));
  }

  private List<Section> sections() {
    LoadCharts load = new LoadCharts(run);
    ServiceCharts services = new ServiceCharts(run);
    CellTable cells = new CellTable(run);
    return List.of(
            verdicts(),
            Section.of("throughput", "How many calls a second?", load.throughput()),
            Section.of("ratios", "What does Heddle gain or lose?", load.ratios()),
            Section.of(
                "latency", "How long does a call take that comes when it comes?", load.latency()),
            Section.of("memory", "What does a waiting call hold?", load.memory()),
            Section.of(
                "service", "What if a service that yours calls turns slow?", services.service()),
            Section.of("loom", "What if three calls in a row take a second?", services.loom()),
            Section.of("payload", "What about bodies?", new PayloadTable(run).figures()),
            cells.server(),
            Section.of("syscalls", "How many system calls does a call take?", "", syscalls()),
            Section.of("cells", "All figures", "", cells.all()),
            new Section("machine", "Machine and versions", "", List.of(), List.of(), machine()))
        .stream()
        .filter(each -> !each.isEmpty())
        .toList();
  }

  static String resource(String name) {
    try (InputStream in = HtmlReport.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String head() {
    return format(
        "%s · %s · %s · %d processors · %s · %.0f s",
        run.started(),
        run.size(),
        run.machine().java(),
        run.machine().processors(),
        run.machine().cpu(),
        run.seconds());
  }

  private Section verdicts() {
    List<String> head = new ArrayList<>(List.of("Heddle's", "promised"));
    for (Library each : Library.MEASURED) {
      head.add(each.label());
    }
    List<Row> rows = new ArrayList<>();
    List<String> unknown = new ArrayList<>();
    Map<Verdicts.Finding, Integer> found = new EnumMap<>(Verdicts.Finding.class);
    for (Verdicts.Promise promise : new Verdicts(run).all()) {
      if (promise.isUnknown()) {
        unknown.add(promise.what() + " (" + promise.bar() + ")");
        continue;
      }
      List<Entry> entries = new ArrayList<>();
      entries.add(Entry.of(promise.what(), "long"));
      entries.add(Entry.of(promise.bar()));
      for (Verdicts.Verdict verdict : promise.verdicts().values()) {
        found.merge(verdict.finding(), 1, Integer::sum);
        entries.add(Entry.of(verdict.marked(), style(verdict.finding())));
      }
      rows.add(new Row(false, entries));
    }
    String after =
        unknown.isEmpty() ? "" : "Not measured in this run: " + String.join("; ", unknown) + ".";
    return Section.of(
        "promises",
        "What was promised, and what came of it",
        format(
            "%d kept (✓), %d missed (✗), %d not decided by these rounds (≈): the bar lies in the"
                + " interval, or there are fewer than five rounds. Heap, threads, errors and pins"
                + " are counted and not timed; they are judged as they are.",
            found.getOrDefault(Verdicts.Finding.KEPT, 0),
            found.getOrDefault(Verdicts.Finding.MISSED, 0),
            found.getOrDefault(Verdicts.Finding.UNDECIDED, 0)),
        List.of(new Table("", "", "verdicts", head, rows, after)));
  }

  private static String style(Verdicts.Finding finding) {
    return switch (finding) {
      case KEPT -> "good";
      case MISSED -> "bad";
      case UNDECIDED -> "";
      case UNKNOWN -> "none";
    };
  }

  private List<Table> syscalls() {
    if (run.syscalls().isEmpty()) {
      return List.of();
    }
    List<String> head = new ArrayList<>(List.of("client", "all"));
    for (Syscalls.Kind kind : Syscalls.Kind.values()) {
      head.add(kind.label());
    }
    head.add("calls seen");
    List<Row> rows = new ArrayList<>();
    for (Syscalls each : run.syscalls()) {
      List<Entry> entries = new ArrayList<>();
      entries.add(Entry.of(each.cell().fullName()));
      entries.add(Entry.of(Markup.number(each.perCall())));
      for (Syscalls.Kind kind : Syscalls.Kind.values()) {
        entries.add(Entry.of(Markup.number(each.perCall(kind))));
      }
      entries.add(Entry.of(format("%,d", each.calls())));
      rows.add(new Row(each.cell().mode() == Mode.HEDDLE, entries));
    }
    return List.of(
        new Table(
            "",
            "100 callers, for each call",
            "",
            head,
            rows,
            "Counted by strace, which makes a client many times slower: threads meet otherwise than"
                + " they do without it, so that counts of wake-ups (futex) tell an order of"
                + " magnitude. Those of the JVM itself and of the one who measures are among them."));
  }

  private List<Term> machine() {
    Machine machine = run.machine();
    List<Term> terms = new ArrayList<>();
    terms.add(new Term("System", machine.os()));
    terms.add(new Term("Processor", machine.processors() + " × " + machine.cpu()));
    terms.add(
        new Term(
            "Memory",
            format(
                "%,d MiB, %,d free", machine.memoryBytes() >> 20, machine.availableBytes() >> 20)));
    terms.add(new Term("Descriptors", format("%,d for a process", machine.descriptors())));
    terms.add(new Term("Ports", format("%,d for each destination", machine.ports())));
    terms.add(new Term("Threads", format("%,d further ones", machine.threads())));
    terms.add(new Term("Java", machine.java()));
    run.versions().forEach((what, version) -> terms.add(new Term(what, version)));
    run.jvms().forEach((what, flags) -> terms.add(new Term(what, flags)));
    return terms;
  }
}
