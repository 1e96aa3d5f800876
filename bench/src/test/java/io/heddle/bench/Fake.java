package io.heddle.bench;

/** A contestant that is none, for loops that want to know its mode. */
record Fake(Library library, Mode mode, Wire wire) implements Contestant {

  Fake(Mode mode) {
    this(Library.APACHE, mode, Wire.HTTP_1);
  }

  @Override
  public Running open(Ask ask, int callers) {
    throw new IllegalStateException("is not opened");
  }
}
