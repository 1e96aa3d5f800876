package io.heddle.conformance;

import java.io.IOException;
import java.io.OutputStream;

/** Writes the body of a request, on the thread that executes the call. */
@FunctionalInterface
public interface BodyWriter {

  /** Writes all of the body; does not close {@code out}. */
  void writeTo(OutputStream out) throws IOException;
}
