package io.heddle.bench.report;

import com.samskivert.mustache.Mustache;
import io.heddle.bench.measure.RunRecord;
import io.heddle.bench.report.Page.Figure;
import io.heddle.bench.report.Page.Panel;
import io.heddle.bench.report.Page.Swatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A figure of the page as a file of its own, for docs/performance.md: SVG, light and dark. */
public record Picture(String file, Figure figure) {

  private static final int WIDTH = 1_120;
  private static final int TOP = 62;
  private static final int PANEL_WIDTH = 374;
  private static final int PANEL_TITLE = 18;
  private static final int PANEL_HEIGHT = 210;

  /** About as wide as a letter of the legend is. */
  private static final int LETTER = 7;

  /** What the template is filled with. */
  private record Sheet(
      String style,
      int width,
      int height,
      String title,
      List<PlacedSwatch> legend,
      List<PlacedPanel> panels) {}

  private record PlacedSwatch(String style, String label, int x, int textX) {}

  private record PlacedPanel(String title, String svg, int x, int y) {}

  /** Those that the run has figures for. */
  public static List<Picture> of(RunRecord run) {
    LoadCharts load = new LoadCharts(run);
    return List.of(
            load.memory().stream().findFirst().map(each -> new Picture("waiting-heap.svg", each)),
            new ServiceCharts(run)
                .service().stream().findFirst().map(each -> new Picture("slow-service.svg", each)))
        .stream()
        .flatMap(Optional::stream)
        .toList();
  }

  public void writeTo(Path directory) throws IOException {
    Files.writeString(directory.resolve(file), svg());
  }

  String svg() {
    List<PlacedSwatch> legend = new ArrayList<>();
    int x = 16;
    for (Swatch key : figure.legend()) {
      legend.add(new PlacedSwatch(key.style(), key.label(), x, x + 17));
      x += 40 + key.label().length() * LETTER;
    }
    List<PlacedPanel> panels = new ArrayList<>();
    int height = TOP;
    for (int i = 0; i < figure.panels().size(); i++) {
      Panel panel = figure.panels().get(i);
      int row = TOP + i / 3 * (PANEL_TITLE + PANEL_HEIGHT);
      panels.add(new PlacedPanel(panel.title(), panel.svg(), 6 + i % 3 * PANEL_WIDTH, row));
      height =
          Math.max(height, row + (figure.isWide() ? heightOf(panel) : PANEL_TITLE + PANEL_HEIGHT));
    }
    return Mustache.compiler()
        .emptyStringIsFalse(true)
        .compile(HtmlReport.resource("picture.mustache"))
        .execute(
            new Sheet(
                HtmlReport.resource("colors.css"),
                WIDTH,
                height + 8,
                figure.title(),
                legend,
                panels));
  }

  private static int heightOf(Panel panel) {
    return Integer.parseInt(panel.svg().replaceFirst("(?s).*? height='(\\d+)'.*", "$1"));
  }
}
