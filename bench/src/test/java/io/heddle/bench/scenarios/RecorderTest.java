package io.heddle.bench.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.load.Tally;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.Measured;
import io.heddle.bench.measure.Meter;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An interrupted run keeps what was measured, and nothing of its own end. */
class RecorderTest {

  private static Cell cell(String scenario, Figures... rounds) {
    return new Cell(scenario, "", Library.AHC, Mode.HEDDLE, Wire.HTTP_1, List.of(rounds), "", "");
  }

  @Test
  void roundsThatWereDoneAreKept() {
    Figures figures = Figures.of(Measured.of(new Tally(), Meter.Reading.ofTime(1)), null, 0);
    Recorder recorder = new Recorder(new PrintStream(OutputStream.nullOutputStream()));
    recorder.add(cell("before"));
    recorder.measuring(() -> List.of(cell("now", figures), cell("not begun")));

    recorder.close();
    recorder.close();
    recorder.add(cell("after"));

    assertEquals(List.of("before", "now"), recorder.cells().stream().map(Cell::scenario).toList());
  }
}
