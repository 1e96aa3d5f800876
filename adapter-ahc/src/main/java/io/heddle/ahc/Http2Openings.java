package io.heddle.ahc;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.Http2FrameCodec;
import java.nio.channels.ClosedChannelException;
import java.util.function.Consumer;
import org.asynchttpclient.netty.NettyResponseFuture;
import org.asynchttpclient.netty.channel.Http2ConnectionState;
import org.jspecify.annotations.Nullable;

/**
 * How streams are opened on one HTTP/2 connection: with the engine's future at hand, and those that
 * are opened together with one write.
 *
 * <pre>{@code
 * engine, any thread ──offerPendingOpener──▶ waits for a place, in the engine's queue
 *                           └──has one──▶ event loop: open ──▶ waits for the codec to have room
 *                                           │                     └──▶ AhcChannel.sending
 *                                           └──the call has ended, or the connection──▶ place free
 * }</pre>
 *
 * <p>It takes the place of what the engine has at the connection to count streams with, and leaves
 * all of that to it, but for the moment when a stream is opened. The engine offers that because it
 * {@linkplain AhcInternals#PLACE_AT_ONCE gets no place at once}.
 */
final class Http2Openings extends Http2ConnectionState {

  private final Channel connection;
  private final Http2ConnectionState engines;

  // Event loop only.
  private @Nullable NettyResponseFuture<?> opening;
  private boolean flushDue;

  private Http2Openings(Channel connection, Http2ConnectionState engines) {
    this.connection = connection;
    this.engines = engines;
  }

  /** All streams of this connection are opened here from now on, if it has any; any thread. */
  static void watch(Channel connection) {
    Http2ConnectionState now = connection.attr(HTTP2_STATE_KEY).get();
    if (now != null && !(now instanceof Http2Openings)) { // who is second takes what the first has
      connection.attr(HTTP2_STATE_KEY).compareAndSet(now, new Http2Openings(connection, now));
    }
  }

  private static @Nullable Http2Openings of(Channel connection) {
    return connection.attr(HTTP2_STATE_KEY).get() instanceof Http2Openings openings
        ? openings
        : null;
  }

  /**
   * The future of the request that the engine is about to send; event loop. The first one of a
   * connection is not opened here: it is that which the connection was made for.
   */
  static @Nullable NettyResponseFuture<?> opening(Channel connection) {
    Http2Openings openings = of(connection);
    return openings == null || openings.opening == null
        ? AhcInternals.future(connection)
        : openings.opening;
  }

  // ---- any thread ---------------------------------------------------------------------------

  @Override
  public boolean tryAcquireStream() {
    return AhcInternals.PLACE_AT_ONCE;
  }

  @Override
  public boolean offerPendingOpener(NettyResponseFuture<?> future, Runnable opener) {
    if (engines.tryAcquireStream()) { // without the lock that the queue has
      openInEventLoop(future, opener);
      return true;
    }
    return engines.offerPendingOpener(future, () -> openInEventLoop(future, opener));
  }

  private void openInEventLoop(NettyResponseFuture<?> future, Runnable opener) {
    if (connection.eventLoop().inEventLoop()) {
      open(future, opener);
    } else {
      AhcIoThread.later(connection, () -> open(future, opener));
    }
  }

  /** It has a place, and never gets a stream. */
  private void leaveOut(NettyResponseFuture<?> future) {
    future.abort(new ClosedChannelException()); // unless it has ended before
    AhcIoThread.later(connection, this::free); // the next may be left out, too, and so on
  }

  @SuppressWarnings("FutureReturnValueIgnored") // a connection that does not close is not ours
  private void free() {
    engines.releaseStream();
    if (engines.isDraining() && engines.getActiveStreams() <= 0) {
      connection.close(); // as the engine does after the last stream
    }
  }

  // ---- event loop -----------------------------------------------------------------------------

  private void open(NettyResponseFuture<?> future, Runnable opener) {
    if (isGivenUp(future) || !connection.isActive()) {
      leaveOut(future);
    } else {
      Http2Connection at = Http2Connection.of(connection);
      at.whenItMayOpen(() -> openAt(at, future, opener));
    }
  }

  private void openAt(Http2Connection at, NettyResponseFuture<?> future, Runnable opener) {
    if (isGivenUp(future) || at.isLeaving()) { // by now
      leaveOut(future);
      return;
    }
    NettyResponseFuture<?> outer = opening; // what fails at once makes room for the next
    opening = future;
    try {
      opener.run();
    } finally {
      opening = outer;
    }
  }

  /** Whether nobody waits for it; its exchange may know before the engine does. */
  private static boolean isGivenUp(NettyResponseFuture<?> future) {
    return future.isDone()
        || (future.getAsyncHandler() instanceof AhcExchange<?> its && its.isOver());
  }

  /** From now on this connection writes once for all streams that are opened in one go. */
  static void gatherFlushes(ChannelPipeline pipeline) {
    ChannelHandlerContext codec = pipeline.context(Http2FrameCodec.class);
    if (codec != null) {
      pipeline.addAfter(codec.name(), null, new Flushes());
    }
  }

  /** Flushes what opened streams have to say after those streams that are to be opened by then. */
  private static final class Flushes extends ChannelOutboundHandlerAdapter {
    @Override
    public void flush(ChannelHandlerContext ctx) {
      Http2Openings openings = of(ctx.channel());
      if (openings == null || openings.opening == null) {
        ctx.flush();
      } else {
        openings.flushLater(ctx);
      }
    }
  }

  private void flushLater(ChannelHandlerContext ctx) {
    if (!flushDue) {
      flushDue = true;
      AhcIoThread.later(
          connection,
          () -> {
            flushDue = false;
            ctx.flush();
          });
    }
  }

  // ---- the engine's own -----------------------------------------------------------------------

  @Override
  public void releaseStream() {
    engines.releaseStream();
  }

  @Override
  public void failPendingOpeners(Consumer<NettyResponseFuture<?>> failer) {
    engines.failPendingOpeners(failer);
  }

  @Override
  public void setClientMaxConcurrentStreams(int max) {
    engines.setClientMaxConcurrentStreams(max);
  }

  @Override
  public void updateMaxConcurrentStreams(int max) {
    engines.updateMaxConcurrentStreams(max);
  }

  @Override
  public int getMaxConcurrentStreams() {
    return engines.getMaxConcurrentStreams();
  }

  @Override
  public int getActiveStreams() {
    return engines.getActiveStreams();
  }

  @Override
  public boolean isDraining() {
    return engines.isDraining();
  }

  @Override
  public void markRedundant() {
    engines.markRedundant();
  }

  @Override
  public boolean isRedundant() {
    return engines.isRedundant();
  }

  @Override
  public void setDraining(int lastStreamId) {
    engines.setDraining(lastStreamId);
  }

  @Override
  public int getLastGoAwayStreamId() {
    return engines.getLastGoAwayStreamId();
  }

  @Override
  public void setPartitionKey(Object key) {
    engines.setPartitionKey(key);
  }

  @Override
  public Object getPartitionKey() {
    return engines.getPartitionKey();
  }

  @Override
  public void setPermitRelease(Runnable release) {
    engines.setPermitRelease(release);
  }

  @Override
  public void releasePermitOnce() {
    engines.releasePermitOnce();
  }
}
