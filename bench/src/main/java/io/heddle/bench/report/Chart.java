package io.heddle.bench.report;

import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.measure.Spread;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Rectangle2D;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.DoubleStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.apache.batik.svggen.SVGIDGenerator;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.annotations.XYTextAnnotation;
import org.jfree.chart.axis.AxisLocation;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.axis.SymbolAxis;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.PlotOrientation;
import org.jfree.chart.plot.ValueMarker;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.StandardXYBarPainter;
import org.jfree.chart.renderer.xy.XYBarRenderer;
import org.jfree.chart.renderer.xy.XYErrorRenderer;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.chart.ui.TextAnchor;
import org.jfree.data.Range;
import org.jfree.data.xy.XYIntervalSeries;
import org.jfree.data.xy.XYIntervalSeriesCollection;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;
import org.jspecify.annotations.Nullable;

/**
 * A chart as SVG, drawn by JFreeChart. Its colours are the style sheet's: they change with the
 * reader's light or dark theme.
 */
final class Chart {

  /**
   * A row of bars.
   *
   * @param style null for a heading, or for words alone
   * @param spread null for none
   * @param words beside the bar, or instead of it
   */
  record Bar(String label, @Nullable Style style, @Nullable Spread spread, String words) {}

  /** How a contestant is drawn. */
  record Style(Mode mode, Wire wire) {
    private Color color() {
      Color full = Objects.requireNonNull(MODES.get(mode));
      int alpha = wire == Wire.HTTP_2 ? 175 : 255;
      return new Color(full.getRed(), full.getGreen(), full.getBlue(), alpha);
    }
  }

  /** One point; x is what it is on the axis, or the index of a label. */
  record Point(double x, double y) {}

  /** A line; it is broken at a point without a value. */
  record Line(String name, Style style, List<Point> points) {}

  /** What the style sheet calls them; SVG has these values until {@link #svg} puts names there. */
  private static final Map<Mode, Color> MODES =
      Map.of(
          Mode.STOCK_PLATFORM, new Color(0x8a9099),
          Mode.STOCK_VIRTUAL, new Color(0x2f6fb7),
          Mode.HEDDLE, new Color(0xd2450a),
          Mode.ASYNC, new Color(0x1f8357),
          Mode.PEER, new Color(0x8250c4));

  private static final Color INK = new Color(0x1d1f21);
  private static final Color MUTED = new Color(0x5f6670);
  private static final Color GRID = new Color(0xe8eaed);
  private static final Color BAD = new Color(0xa51d1d);

  private static final Font TEXT = new Font(Font.SANS_SERIF, Font.PLAIN, 12);
  private static final BasicStroke THIN = new BasicStroke(1);
  private static final BasicStroke THICK = new BasicStroke(2);
  private static final BasicStroke DASHED =
      new BasicStroke(2, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, new float[] {5, 3}, 0);

  private static final int WIDE = 1_000;
  private static final int NARROW = 360;
  private static final int NARROW_HEIGHT = 210;
  private static final int ROW = 21;

  /** Lines with more points have none of them marked. */
  private static final int MARKED = 12;

  /** Ids are unique on a page, whatever number of charts it has. */
  private static final AtomicLong IDS = new AtomicLong();

  private Chart() {}

  // ---- the three kinds ------------------------------------------------------------------------

  /** Horizontal bars, each with its figure and, measured several times, its interval. */
  static String bars(String title, List<Bar> bars) {
    double most = spreads(bars, 1).max().orElse(0);
    NumberAxis values = new NumberAxis();
    values.setRange(0, Math.max(most, 1e-9) * 1.2);
    return svg(title, rows(bars, values, 0), WIDE, ROW * bars.size() + 30);
  }

  /** Ratios around 1, on a logarithmic axis, so that a loss is as long as a win. */
  static String ratios(String title, List<Bar> bars) {
    double far = spreads(bars, 1e-3).map(each -> Math.max(each, 1 / each)).max().orElse(2);
    far = Math.clamp(far, 2, 16);
    LogAxis values = log(2, 1 / far / 1.05, far * 2.2, "0.### ×");
    XYPlot plot = rows(bars, values, 1);
    plot.addRangeMarker(new ValueMarker(1, INK, THIN));
    return svg(title, plot, WIDE, ROW * bars.size() + 30);
  }

  /**
   * Lines in a small panel.
   *
   * @param labels of the x axis, at 0, 1 and so on; empty for numbers
   * @param range values that the axis has at least, so that several charts have the same
   * @param turns marks across the chart
   */
  static String lines(
      String title,
      List<Line> lines,
      boolean isLog,
      List<String> labels,
      @Nullable Range range,
      List<Double> turns) {
    XYSeriesCollection data = new XYSeriesCollection();
    XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer(true, false);
    Range all = range;
    for (Line line : lines) {
      XYSeries series = new XYSeries(data.getSeriesCount() + line.name());
      line.points().forEach(point -> series.add(point.x(), finite(point.y())));
      int index = data.getSeriesCount();
      data.addSeries(series);
      renderer.setSeriesPaint(index, line.style().color());
      renderer.setSeriesStroke(index, line.style().wire() == Wire.HTTP_2 ? DASHED : THICK);
      renderer.setSeriesShape(index, new Ellipse2D.Double(-2.6, -2.6, 5.2, 5.2));
      renderer.setSeriesShapesVisible(index, line.points().size() <= MARKED);
      for (Point point : line.points()) {
        all = Double.isFinite(point.y()) ? Range.expandToInclude(all, point.y()) : all;
      }
    }
    Range shown = all == null ? new Range(0, 1) : all;
    ValueAxis y = new NumberAxis();
    if (isLog) {
      double from = Math.log10(Math.max(shown.getLowerBound(), 1e-3));
      double to = Math.log10(Math.max(shown.getUpperBound(), 1e-3));
      y = log(10, Math.pow(10, Math.floor(from)), Math.pow(10, Math.ceil(to)) * 1.05, "#,##0.###");
    } else {
      y.setRange(0, Math.max(shown.getUpperBound(), 1e-9) * 1.05);
    }
    NumberAxis x = labels.isEmpty() ? new NumberAxis() : symbols(labels);
    x.setAutoRangeIncludesZero(true);
    XYPlot plot = new XYPlot(data, x, y, renderer);
    for (double turn : turns) {
      plot.addDomainMarker(new ValueMarker(turn, BAD, DASHED));
    }
    return svg(title, plot, NARROW, NARROW_HEIGHT);
  }

  // ---- their parts ----------------------------------------------------------------------------

  private static DoubleStream spreads(List<Bar> bars, double least) {
    return bars.stream()
        .map(Bar::spread)
        .filter(Objects::nonNull)
        .flatMapToDouble(
            each -> DoubleStream.of(Math.max(least, each.low()), Math.max(least, each.high())));
  }

  /** A row for each bar, from the top; bars begin at the base. */
  private static XYPlot rows(List<Bar> bars, ValueAxis values, double base) {
    Map<Style, XYIntervalSeries> styles = new LinkedHashMap<>();
    XYIntervalSeriesCollection data = new XYIntervalSeriesCollection();
    XYBarRenderer renderer = new XYBarRenderer();
    renderer.setBarPainter(new StandardXYBarPainter());
    renderer.setShadowVisible(false);
    renderer.setBase(base);
    XYErrorRenderer whiskers = new XYErrorRenderer();
    whiskers.setDrawXError(false);
    whiskers.setDefaultShapesVisible(false);
    whiskers.setErrorPaint(INK);
    whiskers.setErrorStroke(THIN);
    whiskers.setCapLength(5);
    XYPlot plot = new XYPlot(data, null, values, renderer);
    for (int row = 0; row < bars.size(); row++) {
      Bar bar = bars.get(row);
      Spread spread = bar.spread();
      double end = base;
      if (spread != null && bar.style() != null) {
        XYIntervalSeries series = styles.get(bar.style());
        if (series == null) {
          series = new XYIntervalSeries(styles.size());
          styles.put(bar.style(), series);
          data.addSeries(series);
          renderer.setSeriesPaint(styles.size() - 1, bar.style().color());
        }
        double at = spread.median();
        series.add(row, row - 0.36, row + 0.36, at, spread.low(), spread.high());
        end = Math.max(base, spread.high());
      }
      XYTextAnnotation words = new XYTextAnnotation("\u00a0\u00a0" + bar.words(), row, end);
      words.setTextAnchor(TextAnchor.CENTER_LEFT);
      words.setFont(TEXT);
      words.setPaint(spread == null ? MUTED : INK);
      plot.addAnnotation(words);
    }
    SymbolAxis labels = symbols(bars.stream().map(Bar::label).toList());
    labels.setInverted(true);
    labels.setRange(-0.6, bars.size() - 0.4);
    plot.setDomainAxis(labels);
    plot.setDataset(1, data);
    plot.setRenderer(1, whiskers);
    plot.setOrientation(PlotOrientation.HORIZONTAL);
    plot.setRangeAxisLocation(AxisLocation.TOP_OR_RIGHT);
    return plot;
  }

  private static String svg(String title, XYPlot plot, int width, int height) {
    plot.setBackgroundPaint(null);
    plot.setOutlineVisible(false);
    plot.setRangeGridlinePaint(GRID);
    plot.setRangeGridlineStroke(THIN);
    plot.setDomainGridlinesVisible(false);
    plot.setInsets(RectangleInsets.ZERO_INSETS);
    for (ValueAxis axis : List.of(plot.getDomainAxis(), plot.getRangeAxis())) {
      axis.setTickLabelFont(TEXT);
      axis.setTickLabelPaint(axis instanceof SymbolAxis && width == WIDE ? INK : MUTED);
      axis.setAxisLineVisible(false);
      axis.setTickMarksVisible(false);
    }
    JFreeChart chart = new JFreeChart(null, TEXT, plot, false);
    chart.setBackgroundPaint(null);
    SVGGraphics2D graphics = new SVGGraphics2D(context(), false);
    chart.draw(graphics, new Rectangle2D.Double(0, 0, width, height));
    StringWriter out = new StringWriter();
    try {
      graphics.stream(graphics.getRoot(), out, false, false);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String svg = out.toString();
    svg =
        svg.substring(svg.indexOf("<svg"))
            .replaceAll("\\s*\\n\\s*", "")
            .replace(" xml:space=\"preserve\"", "")
            // the first is as wide as the others, which Java takes for "sans-serif"
            .replace("font-family=\"sans-serif\"", "font-family=\"DejaVu Sans,Verdana,sans-serif\"")
            .replaceFirst(
                "<svg",
                Markup.format(
                    "<svg role='img' aria-label='%s' viewBox='0 0 %d %d' width='%2$d' height='%3$d'",
                    title.replace("'", ""), width, height));
    for (Mode mode : Mode.values()) {
      svg = named(svg, Objects.requireNonNull(MODES.get(mode)), Markup.style(mode));
    }
    return named(named(named(named(svg, INK, "ink"), MUTED, "muted"), GRID, "grid"), BAD, "bad");
  }

  private static String named(String svg, Color color, String name) {
    String value =
        Markup.format("rgb(%d,%d,%d)", color.getRed(), color.getGreen(), color.getBlue());
    return svg.replace(value, "var(--" + name + ")");
  }

  private static SVGGeneratorContext context() {
    try {
      SVGGeneratorContext context =
          SVGGeneratorContext.createDefault(
              DocumentBuilderFactory.newInstance()
                  .newDocumentBuilder()
                  .getDOMImplementation()
                  .createDocument("http://www.w3.org/2000/svg", "svg", null));
      context.setComment("JFreeChart");
      context.setIDGenerator(
          new SVGIDGenerator() {
            @Override
            public String generateID(String prefix) {
              return prefix + IDS.incrementAndGet();
            }
          });
      return context;
    } catch (ParserConfigurationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static SymbolAxis symbols(List<String> labels) {
    SymbolAxis axis = new SymbolAxis(null, labels.toArray(String[]::new));
    axis.setGridBandsVisible(false);
    return axis;
  }

  /** With a tick at each power of its base. */
  private static LogAxis log(int base, double from, double to, String format) {
    LogAxis axis = new LogAxis();
    axis.setBase(base);
    axis.setTickUnit(new NumberTickUnit(1));
    axis.setRange(from, to);
    axis.setNumberFormatOverride(
        new DecimalFormat(format, DecimalFormatSymbols.getInstance(Locale.ROOT)));
    return axis;
  }

  private static @Nullable Double finite(double value) {
    return Double.isFinite(value) ? value : null;
  }
}
