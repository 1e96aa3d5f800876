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
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import javax.net.ssl.SSLException;
import org.asynchttpclient.channel.KeepAliveStrategy;
import org.asynchttpclient.netty.NettyResponseFuture;
import org.jspecify.annotations.Nullable;

/**
 * What happens on one HTTP/1.1 connection, between AHC's handler and the codec.
 *
 * <ul>
 *   <li>A body that the connection takes no more of does not end its exchange, as it does in AHC:
 *       the server may have answered before it stopped reading. The answer, or the end of the
 *       connection, ends it.
 *   <li>A connection on which a response has begun before its request was sent is closed, unless
 *       that response is the last of its exchange and the request is sent by then. (AHC puts it
 *       into its pool, or sends what follows a redirect or a challenge there, where the rest of one
 *       body would go before the next request.)
 *   <li>What comes when no request waits for it, a second response or one to nobody, ends the
 *       connection. (AHC drops it, or takes it for the response to the next request.) The end of a
 *       response is held back until all that was read with it is looked through: else another call
 *       could have such a connection from AHC's pool meanwhile.
 *   <li>Informational responses other than 101, and a 100 that nobody waits for any more, are
 *       dropped. (AHC takes 103 for the response.)
 * </ul>
 *
 * <p>All of it on the connection's event loop, but for {@link #sends}.
 */
final class Http1Connection extends ChannelDuplexHandler {

  static final String NAME = "heddle-http1";

  /** The head of a response that came before its request was sent. */
  private static final class Early extends DefaultHttpResponse {
    private boolean keepAlive;

    Early(HttpResponse of) {
      super(of.protocolVersion(), of.status(), of.headers());
      setDecoderResult(of.decoderResult());
    }
  }

  // Written by whoever sends a request, taken by the event loop when its head comes by.
  private volatile @Nullable Leg sender;

  // Event loop only.
  private boolean expecting;
  private boolean withBody;
  private boolean requestSent = true;
  private boolean answered;
  private @Nullable Early early;
  private boolean informational;
  private boolean dropping;
  private boolean switching;
  private @Nullable Object end;
  private boolean surplus;
  private boolean inactive;

  // ---- the request --------------------------------------------------------------------------

  /** The next head to be written is that of this leg, which is told then; any thread. */
  void sends(Leg leg) {
    sender = leg;
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored")
  public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
    boolean last = msg instanceof LastHttpContent;
    if (msg instanceof HttpRequest request) {
      Leg writes = sender;
      sender = null;
      if (writes != null && ctx.channel().isActive()) {
        writes.written();
      }
      ReadGate gate = ctx.pipeline().get(ReadGate.class);
      if (gate != null) {
        gate.open();
      }
      expecting = true;
      switching = request.method().equals(HttpMethod.CONNECT);
      requestSent = false;
      answered = false;
      early = null;
      withBody = !last || ((ByteBufHolder) msg).content().isReadable();
    }
    if (requestSent || !withBody) { // a WebSocket's frames, or a request that is all head
      ctx.write(msg, promise.unvoid()).addListener(done -> requestSent |= last);
      return;
    }
    ChannelPromise ours =
        promise instanceof ChannelProgressivePromise progressive
            ? ctx.newProgressivePromise().addListener(new Progress(progressive))
            : ctx.newPromise();
    ours.addListener(
        done -> {
          if (done.isSuccess()) {
            requestSent |= last;
            if (!promise.isVoid()) {
              promise.trySuccess();
            }
          } else if (!promise.isVoid()
              && (inactive || !isOfSocket(done.cause()))
              && AhcInternals.future(ctx.channel())
                  != null) { // else it has ended, or goes on elsewhere
            promise.tryFailure(done.cause()); // nothing else will end the exchange
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

  /** Whether the connection itself failed, and not what was to be written. */
  private static boolean isOfSocket(Throwable failure) {
    return failure instanceof IOException && !(failure instanceof SSLException);
  }

  // ---- the response -------------------------------------------------------------------------

  @Override
  @SuppressWarnings("FutureReturnValueIgnored")
  public void channelRead(ChannelHandlerContext ctx, Object msg) {
    Channel channel = ctx.channel();
    if (!expecting && msg instanceof HttpObject) {
      ReferenceCountUtil.release(msg);
      surplus = true;
      passEnd(ctx);
      ctx.close();
      return;
    }
    if (msg instanceof HttpResponse response) {
      HttpResponseStatus status = response.status();
      switching |= status.equals(HttpResponseStatus.SWITCHING_PROTOCOLS);
      informational =
          status.codeClass() == HttpStatusClass.INFORMATIONAL
              && !status.equals(HttpResponseStatus.SWITCHING_PROTOCOLS);
      dropping = informational && !(status.code() == 100 && isBodyDeferred(channel));
    }
    Object passed = msg;
    boolean last = msg instanceof LastHttpContent;
    if (dropping) {
      ReferenceCountUtil.release(msg);
      dropping = !last;
      return;
    }
    if (msg instanceof HttpResponse response && !informational) {
      answered = true;
      if (!requestSent && !last) {
        early = new Early(response);
        passed = early;
      }
    }
    if (!last || informational) {
      ctx.fireChannelRead(passed);
      return;
    }
    expecting = false;
    end = msg;
    if (switching) { // what comes behind it is no response, and needs to be passed another way
      passEnd(ctx);
    }
  }

  /** All that was read together is here; what else there is of a second response, if any, too. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    passEnd(ctx);
    ctx.fireChannelReadComplete();
  }

  /** Passes on the end of a response, if it is held back. */
  private void passEnd(ChannelHandlerContext ctx) {
    Object last = end;
    if (last == null) {
      return;
    }
    end = null;
    NettyResponseFuture<?> future = AhcInternals.future(ctx.channel());
    if (future != null) {
      if (!requestSent || surplus) {
        future.setKeepAlive(false);
      } else if (early != null && early.keepAlive) {
        future.setKeepAlive(true);
      }
    }
    ctx.fireChannelRead(last);
    ReadGate gate = ctx.pipeline().get(ReadGate.class);
    if (gate != null) {
      gate.open(); // the last of a body may just have shut it, and who waits in AHC's
      // pool has to hear of the end
    }
  }

  /**
   * Whether a connection is kept after a response, as this strategy says, but for one that a
   * response has come to before its request was sent.
   */
  static KeepAliveStrategy keepAlive(KeepAliveStrategy users) {
    return (remote, request, sent, response) -> {
      boolean keep = users.keepAlive(remote, request, sent, response);
      if (response instanceof Early early) {
        early.keepAlive = keep;
        return false; // until the request is sent
      }
      return keep;
    };
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    passEnd(ctx);
    inactive = true;
    ctx.fireChannelInactive();
  }

  // ---- 100-continue -------------------------------------------------------------------------

  /** The server says nothing to a request that asked to continue: goes on as if it had said 100. */
  static void continueAnyway(Channel channel) {
    ChannelHandlerContext ctx = channel.pipeline().context(NAME);
    if (ctx != null
        && ctx.handler() instanceof Http1Connection connection
        && !connection.answered
        && isBodyDeferred(channel)) {
      ctx.fireChannelRead(
          new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
      ctx.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
    }
  }

  private static boolean isBodyDeferred(Channel channel) {
    NettyResponseFuture<?> future = AhcInternals.future(channel);
    return future != null && future.isDontWriteBodyBecauseExpectContinue();
  }
}
