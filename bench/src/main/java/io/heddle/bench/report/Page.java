package io.heddle.bench.report;

import io.heddle.bench.contestants.Mode;
import java.util.Collection;
import java.util.List;

/** What the template of the page is filled with: {@code page.mustache} has the markup. */
record Page(
    String style,
    String head,
    String command,
    boolean interrupted,
    List<String> notes,
    List<Section> sections) {

  /** A question and what answers it; every part of it may be empty. */
  record Section(
      String id,
      String title,
      String words,
      List<Figure> figures,
      List<Table> tables,
      List<Term> terms) {

    static Section of(String id, String title, List<Figure> figures) {
      return new Section(id, title, "", figures, List.of(), List.of());
    }

    static Section of(String id, String title, String words, List<Table> tables) {
      return new Section(id, title, words, List.of(), tables, List.of());
    }

    boolean isEmpty() {
      return words.isEmpty() && figures.isEmpty() && tables.isEmpty() && terms.isEmpty();
    }
  }

  /** Charts or tables, with what they show. */
  record Figure(
      String title,
      String caption,
      List<Swatch> legend,
      List<Panel> panels,
      List<Table> tables,
      List<String> items) {

    /** One wide chart. */
    static Figure of(String title, String caption, List<Swatch> legend, String svg) {
      return new Figure(title, caption, legend, List.of(new Panel("", svg)), List.of(), List.of());
    }

    boolean isWide() {
      return panels.size() == 1 && panels.get(0).title().isEmpty();
    }
  }

  /** A colour and what it stands for. */
  record Swatch(String style, String label) {

    /** A legend of what is drawn, and of nothing else. */
    static List<Swatch> of(Collection<Mode> drawn) {
      return drawn.stream()
          .distinct()
          .sorted()
          .map(mode -> new Swatch(Markup.style(mode), mode.label()))
          .toList();
    }
  }

  record Panel(String title, String svg) {}

  /**
   * A table.
   *
   * @param summary if it is folded
   */
  record Table(
      String summary, String title, String style, List<String> head, List<Row> rows, String after) {

    static Table of(String summary, List<String> head, List<Row> rows) {
      return new Table(summary, "", "", head, rows, "");
    }
  }

  record Row(boolean ours, List<Entry> entries) {}

  /**
   * What stands in a table.
   *
   * @param shade a background; empty for none
   * @param span how many columns it takes; 0 for one
   */
  record Entry(String text, String style, String shade, int span) {

    static Entry of(String text) {
      return of(text, "");
    }

    static Entry of(String text, String style) {
      return new Entry(text, style, "", 0);
    }
  }

  record Term(String what, String text) {}
}
