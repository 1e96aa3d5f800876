package io.heddle.apache;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The streams that this side has reset, for what the server had sent before it knew of that. On a
 * slow or busy path it comes late, and the engine, which forgets such a stream after a second,
 * takes it for an error of the connection, with all that others do there. RFC 9113 (5.1) has it
 * ignored.
 *
 * <p>That is done for DATA alone: a head has to be decoded for those to come. And for so much, as
 * the server's window of the connection lacks it: the engine does not give it back. It gives more
 * once 10 MiB are left.
 *
 * <p>I/O thread only.
 */
final class ResetStreams {

  private static final int REMEMBERED = 1_000;

  /** How many bytes may be ignored before the connection takes no more calls. */
  private static final long MOST_IGNORED = 4 << 20;

  private final Set<Integer> streams = new LinkedHashSet<>();
  private long ignored;

  /** A stream is reset. */
  void add(int stream) {
    if (streams.add(stream) && streams.size() > REMEMBERED) {
      streams.remove(streams.iterator().next());
    }
  }

  boolean contains(int stream) {
    return streams.contains(stream);
  }

  /**
   * So much is ignored.
   *
   * @return whether it is too much by now
   */
  boolean ignore(int bytes) {
    ignored += bytes;
    return ignored > MOST_IGNORED;
  }
}
