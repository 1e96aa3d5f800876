package io.heddle.ahc;

import io.netty.buffer.ByteBufHolder;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelProgressiveFuture;
import io.netty.channel.ChannelProgressiveFutureListener;
import io.netty.channel.ChannelProgressivePromise;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;
import org.asynchttpclient.netty.NettyResponseFuture;
import org.asynchttpclient.netty.channel.Channels;
import org.jspecify.annotations.Nullable;

/**
 * What happens on one HTTP/1.1 connection, between AHC's handler and the codec.
 *
 * <ul>
 *   <li>A body that cannot be written on does not end its exchange, as it does in AHC: the server
 *       may have answered before it stopped reading. That failure waits until the answer, or the
 *       end of the connection, is there.
 *   <li>A connection on which a response has ended before its request has is not used again. (AHC
 *       puts it into its pool, where the rest of one body would go before the next request.)
 *   <li>Informational responses other than 101, and a 100 that nobody waits for any more, are
 *       dropped. (AHC takes 103 for the response.)
 * </ul>
 *
 * <p>All of it on the connection's event loop.
 */
final class Http1Connection extends ChannelDuplexHandler {

  static final String NAME = "heddle-http1";

  private record Held(ChannelPromise promise, Throwable failure) {}

  /** Failures of writes that AHC is not told of yet. */
  private final List<Held> held = new ArrayList<>(2);

  private boolean withBody;
  private boolean requestSent = true;
  private boolean informational;
  private boolean dropping;
  private boolean inactive;

  // ---- the request --------------------------------------------------------------------------

  @Override
  @SuppressWarnings("FutureReturnValueIgnored")
  public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
    boolean last = msg instanceof LastHttpContent;
    if (msg instanceof HttpRequest) {
      ReadGate gate = ctx.pipeline().get(ReadGate.class);
      if (gate != null) {
        gate.open(ctx.channel());
      }
      requestSent = false;
      withBody = !last || ((ByteBufHolder) msg).content().isReadable();
    }
    if (requestSent || !withBody) { // a WebSocket's frames, or a request that is all head
      ctx.write(msg, promise.unvoid()).addListener(done -> requestSent |= last);
      return;
    }
    ChannelPromise ours;
    if (promise instanceof ChannelProgressivePromise progressive) {
      ours = ctx.newProgressivePromise().addListener(new Progress(progressive));
    } else {
      ours = ctx.newPromise();
    }
    ours.addListener(
        done -> {
          if (done.isSuccess()) {
            requestSent |= last;
            if (!promise.isVoid()) {
              promise.trySuccess();
            }
          } else if (!promise.isVoid()) {
            held.add(new Held(promise, done.cause()));
            if (inactive) { // nothing else will end the exchange
              tell();
            }
          }
        });
    ctx.write(msg, ours);
  }

  /** Passes on what part of a body has been written. */
  private record Progress(ChannelProgressivePromise to)
      implements ChannelProgressiveFutureListener {
    @Override
    public void operationProgressed(ChannelProgressiveFuture future, long progress, long total) {
      to.tryProgress(progress, total);
    }

    @Override
    public void operationComplete(ChannelProgressiveFuture future) {}
  }

  /** The exchange has ended, one way or another: AHC may hear of all failures, and clean up. */
  private void tell() {
    List<Held> all = List.copyOf(held);
    held.clear();
    for (Held each : all) {
      each.promise().tryFailure(each.failure());
    }
  }

  // ---- the response -------------------------------------------------------------------------

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object msg) {
    Channel channel = ctx.channel();
    if (msg instanceof HttpResponse response) {
      HttpResponseStatus status = response.status();
      informational =
          status.codeClass() == HttpStatusClass.INFORMATIONAL
              && !status.equals(HttpResponseStatus.SWITCHING_PROTOCOLS);
      dropping = informational && !(status.code() == 100 && isBodyDeferred(channel));
    }
    boolean last = msg instanceof LastHttpContent;
    if (dropping) {
      ReferenceCountUtil.release(msg);
      dropping = !last;
      return;
    }
    if (!last || informational) {
      ctx.fireChannelRead(msg);
      return;
    }
    NettyResponseFuture<?> future = exchange(channel);
    ReadGate gate = channel.pipeline().get(ReadGate.class);
    if (gate != null) {
      gate.open(channel); // before AHC puts the connection into its pool
    }
    if (!requestSent && future != null) {
      future.setKeepAlive(false);
    }
    ctx.fireChannelRead(msg);
    tell();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    inactive = true;
    ctx.fireChannelInactive();
    tell();
  }

  // ---- 100-continue -------------------------------------------------------------------------

  /** The server says nothing to a request that asked to continue: goes on as if it had said 100. */
  static void continueAnyway(Channel channel) {
    ChannelHandlerContext ctx = channel.pipeline().context(NAME);
    if (ctx != null && isBodyDeferred(channel)) {
      ctx.fireChannelRead(
          new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
      ctx.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
    }
  }

  private static boolean isBodyDeferred(Channel channel) {
    NettyResponseFuture<?> future = exchange(channel);
    return future != null && future.isDontWriteBodyBecauseExpectContinue();
  }

  static @Nullable NettyResponseFuture<?> exchange(Channel channel) {
    return Channels.getAttribute(channel) instanceof NettyResponseFuture<?> future ? future : null;
  }
}
