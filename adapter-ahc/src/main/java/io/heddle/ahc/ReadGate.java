package io.heddle.ahc;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import org.jspecify.annotations.Nullable;

/**
 * Lets a channel read, or not. AHC's own handler asks for the next read as soon as a channel does
 * not read by itself, so to switch that off is not enough: while the gate is shut it also drops
 * what is asked.
 *
 * <p>It also knows when all that was read together has come through.
 *
 * <p>All of it on the channel's event loop.
 */
final class ReadGate extends ChannelDuplexHandler {

  static final String NAME = "heddle-gate";

  private final Channel channel;
  private boolean shut;
  private long lastRead = System.nanoTime();
  private @Nullable Runnable onWritable;
  private @Nullable Runnable afterRead;

  ReadGate(Channel channel) {
    this.channel = channel;
  }

  /** Reads no further than what is under way. */
  void shut() {
    if (!shut) {
      shut = true;
      channel.config().setAutoRead(false);
    }
  }

  /** Reads on. */
  void open() {
    if (shut) {
      shut = false;
      channel.config().setAutoRead(true); // which asks for a read
    }
  }

  /** Runs this whenever the channel can be written again. */
  void onWritable(Runnable action) {
    onWritable = action;
  }

  /** Runs this once, when all that is being read together has come through. */
  void afterRead(Runnable action) {
    afterRead = action;
  }

  /** When the channel last read something, or was made; as {@link System#nanoTime}. */
  long lastRead() {
    return lastRead;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object msg) {
    lastRead = System.nanoTime();
    ctx.fireChannelRead(msg);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    Runnable action = afterRead;
    if (action != null) {
      afterRead = null;
      action.run();
    }
    ctx.fireChannelReadComplete();
  }

  @Override
  public void read(ChannelHandlerContext ctx) {
    if (!shut) {
      ctx.read();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (onWritable != null && ctx.channel().isWritable()) {
      onWritable.run();
    }
    ctx.fireChannelWritabilityChanged();
  }
}
