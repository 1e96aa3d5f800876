package io.heddle.conformance;

import java.io.InputStream;
import java.nio.file.Path;

/** The body of a request, in one of the forms that synchronous interfaces know. */
public sealed interface Body {

  /** Bytes in memory: of known length, and can be sent again. */
  @SuppressWarnings("ArrayRecordComponent") // handed to the library, never compared
  record Bytes(byte[] bytes) implements Body {}

  /** A file: of known length, and can be sent again. */
  record OfFile(Path path) implements Body {}

  /**
   * A stream that can be read once.
   *
   * @param length in bytes; −1 if it is not known
   */
  record Stream(InputStream in, long length) implements Body {}

  /** Something that writes itself, of unknown length; can be sent once. */
  record Writer(BodyWriter writer) implements Body {}
}
