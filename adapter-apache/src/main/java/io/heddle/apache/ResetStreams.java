package io.heddle.apache;

import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http2.frame.FrameFlag;
import org.apache.hc.core5.http2.frame.FrameType;
import org.apache.hc.core5.http2.frame.RawFrame;

/**
 * The streams that this side has reset, for what the server had sent before it knew of that. On a
 * slow or busy path it comes late; and the engine, which forgets such a stream after a second,
 * takes it for an error of the connection, with all that others do there. RFC 9113 (5.1) has it
 * ignored, but for what it means to the connection.
 *
 * <p>I/O thread only.
 */
final class ResetStreams {

  private static final int REMEMBERED = 1_000;

  private static final int PRIORITY_BYTES = 5;

  private final Set<Integer> streams = new LinkedHashSet<>();

  /** A stream is reset. */
  void add(int stream) {
    if (streams.add(stream) && streams.size() > REMEMBERED) {
      streams.remove(streams.iterator().next());
    }
  }

  /**
   * The engine takes no such frame.
   *
   * @param input of its connection
   * @return whether it may be ignored, and is
   */
  boolean ignore(RawFrame frame, ApacheInternals.Input input) {
    if (!streams.contains(frame.getStreamId())) {
      return false;
    }
    if (frame.isType(FrameType.DATA)) {
      input.window().addAndGet(-frame.getLength());
      return true;
    }
    return frame.isType(FrameType.HEADERS)
        && frame.isFlagSet(FrameFlag.END_HEADERS)
        && decode(frame, input);
  }

  private static boolean decode(RawFrame frame, ApacheInternals.Input input) {
    ByteBuffer block = frame.getPayloadContent();
    if (block == null) {
      return false;
    }
    try {
      if (frame.isFlagSet(FrameFlag.PRIORITY)) {
        block.position(block.position() + PRIORITY_BYTES);
      }
      input.decoder().decodeHeaders(block);
      return true;
    } catch (HttpException | RuntimeException malformed) {
      return false;
    }
  }
}
