package io.heddle.bench.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;

/**
 * What a request to the target server asks for.
 *
 * @param path {@code /} for an answer, others for {@link TargetControl}
 * @param bytes the length of the answer
 * @param delayMillis until it comes
 * @param isHeld whether it comes when answers are released, not before
 */
public record Wish(String path, long bytes, long delayMillis, boolean isHeld) {

  /** Longer answers are poured piece by piece. */
  public static final int PIECE = 1 << 20;

  /** Nobody writes to it, and a release does nothing. */
  private static final ByteBuf ZEROS =
      Unpooled.unreleasableBuffer(
          Unpooled.directBuffer(PIECE, PIECE).writeZero(PIECE).asReadOnly());

  static Wish of(String uri) {
    QueryStringDecoder query = new QueryStringDecoder(uri);
    return new Wish(
        query.path(),
        number(query, "bytes", 128),
        number(query, "delay", 0),
        number(query, "hold", 0) != 0);
  }

  private static long number(QueryStringDecoder query, String name, long otherwise) {
    List<String> values = query.parameters().get(name);
    return values == null ? otherwise : Long.parseLong(values.get(0));
  }

  /** So many bytes, at most {@link #PIECE}. */
  static ByteBuf zeros(long count) {
    return ZEROS.slice(0, (int) count);
  }
}
