package io.heddle.conformance;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2StreamChannel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Plays one {@link Script}: one request and its response, on a connection of HTTP/1.1 or a stream
 * of HTTP/2. All of it runs on the channel's event loop, and none of it waits there.
 *
 * <pre>{@code
 * READING ─ the request is there, or the script does not wait ─▶ ANSWERING ─▶ ANSWERED
 *     └────────────── a fault, or the client leaves ────────────────┴──────▶ BROKEN
 * }</pre>
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails shows as a closed channel
final class ServerExchange {

  /** How long the server still reads after an early answer before it closes, in ms. */
  private static final long LINGER_MILLIS = Bounds.patientMillis(300);

  /** When a client gets its 100, in ms: before a library's own wait ends, which has no patience. */
  private static final long CONTINUE_MILLIS = 100;

  /** How long what was sent before a reset has to arrive, in ms: a reset drops what has not. */
  private static final long ARRIVAL_MILLIS = Bounds.patientMillis(100);

  /** The body of a response that nobody has asked for. */
  static final String SURPLUS = "surplus";

  private static final int ENDLESS_HEAD_BYTES = 16 * 1024 * 1024;

  /** What ends, on HTTP/2, other exchanges as well. */
  private static final Set<Script.Fault> END_THE_CONNECTION =
      Set.of(Script.Fault.CLOSE, Script.Fault.RESET, Script.Fault.GOAWAY_ERROR);

  private enum State {
    READING,
    ANSWERING,
    ANSWERED,
    BROKEN
  }

  private final ChannelHandlerContext ctx;
  private final Channel channel;
  private final HttpRequest request;
  private final Script script;
  private final Seen seen;
  private final boolean misdirected;
  private final boolean last;
  private final Runnable whenDone;

  private State state = State.READING;
  private boolean requestComplete;
  private boolean stoppedReading;

  // The response's body, once it is being sent.
  private byte @Nullable [] gzipped;
  private long position;
  private boolean faultDone;
  private boolean pumpScheduled;

  /**
   * An exchange that has begun.
   *
   * @param before how many requests for this URI there were before
   * @param last whether it is the last one that its connection is to bring
   * @param whenDone runs when request and response are complete, and the channel free for the next
   */
  ServerExchange(
      ChannelHandlerContext ctx,
      HttpRequest request,
      Script script,
      Seen seen,
      int before,
      boolean last,
      Runnable whenDone) {
    this.ctx = ctx;
    this.channel = ctx.channel();
    this.request = request;
    this.script = script;
    this.seen = seen;
    this.misdirected = FaultServer.isMisdirected(connection(), request);
    this.faultDone = before >= script.times();
    this.last = last;
    this.whenDone = whenDone;
  }

  // ---- events ---------------------------------------------------------------------------------

  void begin() {
    if (HttpUtil.is100ContinueExpected(request)) {
      switch (script.expectation()) {
        case REFUSE -> {
          answer();
          return;
        }
        case IGNORE -> seen.waitingToContinue(true);
        case ACCEPT -> {
          seen.waitingToContinue(true);
          // Not at once: a client that does not wait would not be found out.
          schedule(this::sendContinue, script.continueMillis(CONTINUE_MILLIS));
        }
      }
    }
    stopReadingAtLimit();
    if (script.isEarly()) {
      answer();
    }
  }

  void content(HttpContent content) {
    if (content.decoderResult().isFailure()) {
      return; // the connection ended within the body: closed() tells
    }
    byte[] bytes = new byte[content.content().readableBytes()];
    content.content().readBytes(bytes);
    seen.received(bytes);
    if (content instanceof LastHttpContent) {
      requestComplete = true;
      seen.receivedAll();
      if (state == State.READING) {
        answer();
      } else if (state == State.ANSWERED) {
        done();
      } else if (script.isAround() && !pumpScheduled) {
        pump();
      }
    } else if (state == State.READING && !faultDone && seen.bodyBytes() >= script.faultDuring()) {
      answer(); // with the fault
    } else {
      stopReadingAtLimit();
    }
  }

  private void stopReadingAtLimit() {
    if (!stoppedReading && seen.bodyBytes() >= script.takeLimit()) {
      stoppedReading = true; // once: whoever has the server read on wants all of it
      channel.config().setAutoRead(false);
    }
  }

  void writabilityChanged() {
    if (state == State.ANSWERING && channel.isWritable() && !pumpScheduled) {
      // Not within the write that made room: HTTP/2 would end the stream there, and here again.
      pumpScheduled = true;
      ctx.executor().execute(this::pump);
    }
  }

  /** The connection or the stream is closed, by whichever side. */
  void closed() {
    if (state == State.READING || state == State.ANSWERING) {
      state = State.BROKEN;
      seen.aborted();
    }
  }

  // ---- the response ---------------------------------------------------------------------------

  private void sendContinue() {
    if (state == State.READING) {
      seen.waitingToContinue(false);
      ctx.writeAndFlush(
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
    }
  }

  private void answer() {
    state = State.ANSWERING;
    pumpScheduled = true; // nothing to pump before the head
    if (script.delayMillis() > 0) {
      schedule(this::head, script.delayMillis());
    } else {
      head();
    }
  }

  private void head() {
    if (state != State.ANSWERING) {
      return;
    }
    Script.Fault fault = script.fault();
    if (fault != null && script.faultAfter() < 0 && !faultDone) {
      faultDone = true;
      make(fault, this::head);
      return;
    }
    if (!authorized()) {
      FullHttpResponse challenge = full(HttpResponseStatus.UNAUTHORIZED);
      challenge.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, "Basic realm=\"heddle\"");
      challenge.headers().set(HttpHeaderNames.CONTENT_LENGTH, 0);
      send(challenge);
      return;
    }
    if (misdirected && script.isOfOneHost()) {
      FullHttpResponse refusal = full(HttpResponseStatus.MISDIRECTED_REQUEST);
      refusal.headers().set(HttpHeaderNames.CONTENT_LENGTH, 0);
      send(refusal);
      return;
    }
    HttpResponseStatus status = HttpResponseStatus.valueOf(script.status());
    long length = bodyLength();
    if (HttpMethod.HEAD.equals(request.method())
        || status.code() == 204
        || status.code() == 304
        || script.isBodiless()) {
      FullHttpResponse bodiless = full(status);
      if (status.code() != 204) {
        bodiless.headers().set(HttpHeaderNames.CONTENT_LENGTH, script.toldLength(length));
      }
      send(bodiless);
      return;
    }
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
    fields(head);
    if (script.isChunked()) {
      HttpUtil.setTransferEncodingChunked(head, true);
    } else if (!script.isUntilClose()) {
      head.headers().set(HttpHeaderNames.CONTENT_LENGTH, script.toldLength(length));
    }
    ctx.write(head);
    pump();
  }

  private boolean authorized() {
    String credentials = script.credentials();
    if (credentials == null) {
      return true;
    }
    byte[] plain = credentials.getBytes(StandardCharsets.UTF_8);
    return ("Basic " + Base64.getEncoder().encodeToString(plain))
        .equals(request.headers().get(HttpHeaderNames.AUTHORIZATION));
  }

  private FullHttpResponse full(HttpResponseStatus status) {
    FullHttpResponse response =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.EMPTY_BUFFER);
    fields(response);
    return response;
  }

  private void fields(HttpResponse response) {
    HttpHeaders headers = response.headers();
    script.headers().forEach(headers::set);
    if (script.isToItself()) {
      headers.set(HttpHeaderNames.LOCATION, request.uri());
    }
    if (script.isGzip()) {
      headers.set(HttpHeaderNames.CONTENT_ENCODING, HttpHeaderValues.GZIP);
    }
    if (script.hasTrailers()) {
      headers.set(HttpHeaderNames.TRAILER, "x-checksum");
    }
    if (closesConnection()) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
  }

  private boolean closesConnection() {
    return !isStream() && (last || script.isClose() || script.isUntilClose());
  }

  private long bodyLength() {
    if (script.isGzip() && gzipped == null) {
      gzipped = gzip(Contents.range(script.from(), (int) script.bodyLength()));
    }
    return gzipped == null ? script.bodyLength() : gzipped.length;
  }

  /** Sends as much of the body as there is room for, up to a fault or the end. */
  private void pump() {
    if (state != State.ANSWERING) {
      return;
    }
    pumpScheduled = true; // room that comes while it runs, it sees itself
    Script.Fault fault = faultDone ? null : script.fault();
    long end = fault == null ? bodyLength() : Math.min(bodyLength(), script.faultAfter());
    boolean waits = script.isAround() && !requestComplete;
    if (waits) {
      end /= 2;
    }
    while (position < end) {
      if (!channel.isActive()) {
        return; // closed() tells; a stream of HTTP/2 stays writable, and a body can be endless
      }
      if (!channel.isWritable()) {
        ctx.flush();
        if (!channel.isWritable()) {
          pumpScheduled = false;
          return; // writabilityChanged goes on
        }
      }
      int n = (int) Math.min(Math.min(script.piece(), Contents.PIECE), end - position);
      ByteBuf piece =
          gzipped == null
              ? Unpooled.wrappedBuffer(
                  Contents.array(), Contents.offset(script.from() + position), n)
              : Unpooled.wrappedBuffer(gzipped, (int) position, n);
      position += n;
      ctx.write(new DefaultHttpContent(piece)).addListener(sent -> count(sent.isSuccess(), n));
      if (script.every() > 0 && position < end) { // the last piece goes with the end: see below
        ctx.flush();
        schedule(this::pump, script.every());
        return;
      }
    }
    if (waits) {
      ctx.flush();
      pumpScheduled = false; // the end of the request goes on
      return;
    }
    if (fault == null) {
      send(last()); // a client that has all bytes may send its next request at once
      return;
    }
    faultDone = true; // and nothing more is sent until it is over, if it ever is
    // Only once what is before it has left.
    ctx.writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(sent -> schedule(() -> make(fault, this::pump), ARRIVAL_MILLIS));
  }

  private void count(boolean sent, int bytes) {
    if (sent) {
      seen.sent(bytes);
    }
  }

  private LastHttpContent last() {
    if (!script.hasTrailers()) {
      return LastHttpContent.EMPTY_LAST_CONTENT;
    }
    LastHttpContent last = new DefaultLastHttpContent();
    long checksum = Contents.checksum(script.from(), script.bodyLength());
    last.trailingHeaders().set("x-checksum", Long.toString(checksum));
    return last;
  }

  /** Sends what ends the response. */
  private void send(Object end) {
    ChannelFuture sent = ctx.write(end);
    if (script.hasSurplus()) {
      raw("HTTP/1.1 200 OK\r\nContent-Length: " + SURPLUS.length() + "\r\n\r\n" + SURPLUS);
    }
    ctx.flush(); // together, so that a client has read both when the first is at its end
    sent.addListener(
        future -> {
          if (!future.isSuccess() || state != State.ANSWERING) {
            return; // closed() tells
          }
          state = State.ANSWERED;
          seen.answered();
          if (requestComplete) {
            done();
          } else if (script.isClose()) {
            schedule(this::closeAfterEarlyAnswer, LINGER_MILLIS);
          } else {
            // Drops the rest of the request; where it had stopped to read, once the client has the
            // answer.
            long pause = script.takeLimit() == Long.MAX_VALUE ? 0 : ARRIVAL_MILLIS;
            schedule(seen::readOn, pause);
          }
        });
  }

  private void done() {
    if (closesConnection()) {
      channel.close();
    } else {
      whenDone.run();
    }
  }

  private void closeAfterEarlyAnswer() {
    if (isStream()) {
      ctx.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.NO_ERROR));
    } else {
      channel.close();
    }
  }

  // ---- faults ---------------------------------------------------------------------------------

  private void make(Script.Fault fault, Runnable otherwise) {
    if (state != State.ANSWERING) {
      return;
    }
    if (fault == Script.Fault.STALL) {
      seen.stall(otherwise);
      return;
    }
    if (fault == Script.Fault.GOAWAY) {
      refuseFromHere();
      return;
    }
    state = State.BROKEN; // by us: the client has not aborted
    if (isStream() && END_THE_CONNECTION.contains(fault)) {
      FaultServer.breaks(connection());
    }
    switch (fault) {
      case CLOSE -> connection().close();
      case RESET -> FaultServer.reset(connection());
      case GARBAGE ->
          raw("What is this? It is not HTTP.\r\n\r\n").addListener(ChannelFutureListener.CLOSE);
      case ENDLESS_HEAD -> {
        raw("HTTP/1.1 200 OK\r\n");
        endlessHead(0);
      }
      case STREAM_REFUSED -> {
        seen.refused();
        ctx.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.REFUSED_STREAM));
      }
      case STREAM_RESET -> ctx.writeAndFlush(new DefaultHttp2ResetFrame(script.code()));
      case GOAWAY_ERROR ->
          goAway(Http2Error.INTERNAL_ERROR, lastStreamOfAll())
              .addListener(ChannelFutureListener.CLOSE);
      default -> throw new IllegalStateException(fault.toString());
    }
  }

  private void endlessHead(int sent) {
    if (sent > ENDLESS_HEAD_BYTES || !channel.isActive()) {
      channel.close();
      return;
    }
    String field = "X-Fill-" + sent + ": " + "x".repeat(8 * 1024) + "\r\n";
    raw(field)
        .addListener(
            written -> {
              if (written.isSuccess()) {
                endlessHead(sent + field.length());
              }
            });
  }

  /** HTTP/1.1: sends bytes past the codec. */
  private ChannelFuture raw(String text) {
    return channel
        .pipeline()
        .context(FaultServer.CODEC)
        .writeAndFlush(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
  }

  private void refuseFromHere() {
    state = State.BROKEN;
    goAway(Http2Error.NO_ERROR, lastStream() - 2);
  }

  private int lastStream() {
    return ((Http2StreamChannel) channel).stream().id();
  }

  /** Those after this one may have been processed in part, too. */
  private int lastStreamOfAll() {
    Http2ConnectionHandler codec =
        (Http2ConnectionHandler) connection().pipeline().get(FaultServer.CODEC);
    return codec.connection().remote().lastStreamCreated();
  }

  private ChannelFuture goAway(Http2Error error, int lastStream) {
    Channel connection = connection();
    ChannelHandlerContext codec = connection.pipeline().context(FaultServer.CODEC);
    ChannelFuture sent =
        ((Http2ConnectionHandler) codec.handler())
            .goAway(
                codec, lastStream, error.code(), Unpooled.EMPTY_BUFFER, connection.newPromise());
    connection.flush();
    return sent;
  }

  private boolean isStream() {
    return channel instanceof Http2StreamChannel;
  }

  private Channel connection() {
    return isStream() ? channel.parent() : channel;
  }

  private void schedule(Runnable next, long millis) {
    channel.eventLoop().schedule(next, millis, TimeUnit.MILLISECONDS);
  }

  private static byte[] gzip(byte[] plain) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(plain);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }
}
