package io.heddle.bench.load;

import io.heddle.bench.contestants.Ask;
import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;

/** A contestant that is none, for loops that want to know its mode. */
public record Fake(Library library, Mode mode, Wire wire) implements Contestant {

  Fake(Mode mode) {
    this(Library.APACHE, mode, Wire.HTTP_1);
  }

  @Override
  public Running open(Ask ask, int callers) {
    throw new IllegalStateException("is not opened");
  }
}
