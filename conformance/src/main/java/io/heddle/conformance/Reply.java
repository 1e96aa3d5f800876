package io.heddle.conformance;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The response to a call. */
public interface Reply extends AutoCloseable {

  /** The status code. */
  int status();

  /** The first field of this name, in any case; null if there is none. */
  @Nullable String header(String name);

  /** The version, as text: {@code HTTP/1.1} or {@code HTTP/2}. */
  String protocol();

  /** The body, the same stream at each call; an empty one if there is no body. */
  InputStream body();

  /** The trailer fields, by their names in lower case, once the body has been read to its end. */
  Map<String, String> trailers() throws IOException;

  /** Gives up what is left of the response. Any number of times. */
  @Override
  void close() throws IOException;
}
