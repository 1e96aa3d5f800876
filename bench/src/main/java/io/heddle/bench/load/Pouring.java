package io.heddle.bench.load;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;

/**
 * A long answer on its way: pieces are written as long as the channel takes them, and then again
 * when it {@linkplain #resume takes more}. On the channel's event loop only.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails is a client that left
final class Pouring {

  private static final int PIECE = 64 * 1024;

  /** Wraps bytes into what the wire's codec takes. */
  interface Framing {
    Object piece(ByteBuf bytes, boolean isLast);
  }

  private final Framing framing;
  private long left;

  Pouring(long bytes, Framing framing) {
    this.left = bytes;
    this.framing = framing;
  }

  /** Writes what there is room for; returns whether that was all. */
  boolean resume(ChannelHandlerContext context) {
    while (left > 0 && context.channel().isWritable()) {
      int count = (int) Math.min(left, PIECE);
      left -= count;
      context.writeAndFlush(framing.piece(Wish.zeros(count), left == 0));
    }
    return left == 0;
  }
}
