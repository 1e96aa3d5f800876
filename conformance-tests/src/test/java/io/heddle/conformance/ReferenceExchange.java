package io.heddle.conformance;

import io.heddle.core.CallEvent;
import io.heddle.core.CallReport;
import io.heddle.core.Canceller;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import io.heddle.core.RequestBodyPipe;
import io.heddle.core.ResponseBodyPipe;
import io.heddle.core.Signal;
import io.heddle.core.Waiter;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** One attempt: from a lease to the end of the response. */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails shows as a closed channel
final class ReferenceExchange extends SimpleChannelInboundHandler<HttpObject> implements Canceller {

  /** The server closed a connection that had waited in the pool, before it could have answered. */
  static final class Stale extends IOException {
    private static final long serialVersionUID = 1L;
  }

  /** Ends the writing of a body that nobody wants any more. */
  private static final class Stopped extends IOException {
    private static final long serialVersionUID = 1L;
  }

  private static final int WINDOW = 256 * 1024;
  private static final Duration CONTINUE_WAIT = Duration.ofSeconds(1);

  private final ReferenceClient client;
  private final ReferenceClient.Prepared call;
  private final ReferencePool.Lease lease;

  private final Exchange<HttpResponse> head = new Exchange<>();
  private final Signal goAhead = new Signal();
  private final ResponseBodyPipe download =
      new ResponseBodyPipe(WINDOW, WINDOW, this::demand, this);
  private final RequestBodyPipe upload = new RequestBodyPipe(WINDOW, WINDOW, this::signal, this);

  // Written by the caller before the start.
  private @Nullable Body body;
  private boolean expectContinue;
  private long wireLength = -1; // what HTTP/1.1 tells of the body, if it does
  private long begunAt;

  // Caller only: how much of a body of known length is still to be written; −1 if it is not known.
  private long left = -1;

  // I/O thread only.
  private @Nullable Channel channel;
  private boolean requestComplete;
  private boolean responseComplete;
  private boolean keepAlive;
  private boolean draining;
  private long window = WINDOW;
  private @Nullable Failure reason;
  private long lengthTold = -1;
  private long received;

  // Shared.
  private final Map<String, String> trailers = new HashMap<>(); // written before the end
  private volatile boolean aborted;
  private volatile boolean headSeen;

  ReferenceExchange(
      ReferenceClient client, ReferenceClient.Prepared call, ReferencePool.Lease lease) {
    this.client = client;
    this.call = call;
    this.lease = lease;
  }

  // ---- caller ---------------------------------------------------------------------------------

  void start(URI uri, Call call, Map<String, String> extra) throws IOException {
    begunAt = System.nanoTime();
    body = call.body();
    expectContinue = call.expectContinue();
    HttpRequest request =
        new DefaultHttpRequest(
            HttpVersion.HTTP_1_1,
            HttpMethod.valueOf(call.method()),
            uri.getRawPath() + "?" + uri.getRawQuery());
    request.headers().set(HttpHeaderNames.HOST, uri.getHost() + ":" + uri.getPort());
    call.headers().forEach(each -> request.headers().add(each.getKey(), each.getValue()));
    extra.forEach((name, value) -> request.headers().set(name, value));
    if (expectContinue) {
      HttpUtil.set100ContinueExpected(request, true);
    }
    Body sent = body;
    if (sent instanceof Body.Bytes bytes) {
      HttpUtil.setContentLength(request, bytes.bytes().length);
    } else if (sent instanceof Body.OfFile file) {
      HttpUtil.setContentLength(request, Files.size(file.path()));
    } else if (sent instanceof Body.Stream stream && stream.length() >= 0) {
      HttpUtil.setContentLength(request, stream.length());
      if (!client.settings.wire().isMultiplexed() && !this.call.endsWithItsSource) {
        wireLength = stream.length();
      }
    } else if (sent != null) {
      request.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    }
    lease.connection.eventLoop().execute(() -> begin(request));
  }

  ReferenceReply await() throws IOException {
    boolean done = false;
    try {
      call.mark(CallEvent.Step.HEAD);
      send();
      HttpResponse response = head.await(timed());
      String protocol = client.settings.wire().isMultiplexed() ? "HTTP/2" : "HTTP/1.1";
      call.event.head(response.status().code(), protocol);
      done = true;
      return new ReferenceReply(client.settings.wire(), response, download, trailers, this);
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw failed(e, Failure.READ_TIMEOUT);
    } finally {
      if (!done) {
        download.close();
        cancel();
      }
    }
  }

  IOException failed(Exception e, Failure timeout) {
    IOException failure = call.failed(e, timeout);
    if (failure instanceof SocketTimeoutException // the deadline
        || (failure instanceof ReferenceException told && told.kind() == Failure.READ_TIMEOUT)) {
      if (!call.trustsDeadPaths) {
        lease.leaveUnlessHeardOfSince(begunAt);
      }
    }
    return failure;
  }

  Deadline timed() {
    return call.deadline.earlier(Deadline.after(call.silence));
  }

  private void send() throws IOException, ExecutionException {
    Body sent = body;
    call.bodyBegun = sent != null;
    try {
      if (sent != null && expectContinue) {
        goAhead.await(call.deadline.earlier(Deadline.after(CONTINUE_WAIT)));
      }
      OutputStream out = new Upload();
      if (sent instanceof Body.Stream stream && !call.ignoresLengths) {
        left = stream.length();
      }
      if (sent instanceof Body.Bytes bytes) {
        out.write(bytes.bytes());
      } else if (sent instanceof Body.OfFile file) {
        Files.copy(file.path(), out);
      } else if (sent instanceof Body.Stream stream) {
        byte[] piece = new byte[Contents.PIECE];
        for (int n; (n = stream.in().read(piece)) >= 0; ) {
          out.write(piece, 0, n);
          out.flush(); // the source may keep its reader waiting
        }
      } else if (sent instanceof Body.Writer writer) {
        writer.writer().writeTo(out);
      }
      if (left > 0) {
        throw new EOFException("the body is shorter than its length, by " + left);
      }
      upload.finish();
    } catch (Stopped e) {
      // the answer is there, or about to be
    } catch (InterruptedException e) {
      throw call.failed(e, Failure.READ_TIMEOUT);
    }
  }

  /** The request's body, written by the caller. */
  private final class Upload extends OutputStream {
    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] b, int off, int len) throws IOException {
      if (left >= 0 && (left -= len) < 0) {
        throw new IOException("the body is longer than its length");
      }
      try {
        if (!upload.write(b, off, len, call.deadline)) {
          throw new Stopped();
        }
      } catch (IOException e) {
        throw e;
      } catch (Exception e) {
        throw call.failed(e, Failure.READ_TIMEOUT);
      }
    }

    @Override
    public void flush() {
      upload.flush();
    }
  }

  // ---- any thread -----------------------------------------------------------------------------

  void tell(CallReport report) {
    Thread reader = Waiter.waiterAt(download);
    Thread asker = Waiter.waiterAt(head, goAhead, upload);
    report.add(
        reader != null ? CallEvent.Step.BODY : asker != null ? CallEvent.Step.HEAD : null,
        call.asked(),
        reader != null ? reader : asker);
  }

  /** Aborts the exchange on the wire. */
  @Override
  public void cancel() {
    head.cancel();
    upload.cancel();
    goAhead.raise(); // finds the upload over
    download.cancel();
    aborted = true;
    execute(this::abort);
  }

  void fail(Throwable failure) {
    head.fail(failure);
    upload.fail(failure);
    goAhead.raise(); // finds the upload over
    download.fail(failure);
    execute(this::abort);
  }

  private void demand(int bytes) {
    execute(
        () -> {
          window += bytes;
          if (channel != null) {
            channel.config().setAutoRead(window > 0);
          }
        });
  }

  private void signal() {
    execute(this::drain);
  }

  private void execute(Runnable work) {
    try {
      lease.connection.eventLoop().execute(work);
    } catch (RejectedExecutionException e) {
      lease.release(false); // the client is closed
    }
  }

  // ---- I/O thread -----------------------------------------------------------------------------

  private void begin(HttpRequest request) {
    if (aborted) {
      end(lease.connection.isActive());
      return;
    }
    if (!client.settings.wire().isMultiplexed()) {
      lease.connection.pipeline().addLast(this);
      open(lease.connection, request);
      return;
    }
    new Http2StreamChannelBootstrap(lease.connection)
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel stream) {
                stream.pipeline().addLast(new Http2StreamFrameToHttpObjectCodec(false));
                stream.pipeline().addLast(ReferenceExchange.this);
              }
            })
        .open()
        .addListener(
            (Future<Http2StreamChannel> opened) -> {
              if (opened.isSuccess()) {
                open(opened.getNow(), request);
              } else {
                broken(Failure.GOAWAY, opened.cause());
              }
            });
  }

  private void open(Channel opened, HttpRequest request) {
    channel = opened;
    if (aborted) {
      abort();
      return;
    }
    opened
        .write(request)
        .addListener(
            written -> {
              if (!written.isSuccess() && opened instanceof Http2StreamChannel) {
                broken(Failure.GOAWAY, written.cause()); // it was never sent
              } else if (!written.isSuccess()) {
                closed(); // while it was idle, and so before this was told
              }
            });
    if (body == null) {
      requestComplete = true;
      opened.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
    } else {
      opened.flush();
      drain();
    }
  }

  private void drain() {
    Channel to = channel;
    if (draining || to == null || requestComplete || responseComplete || !to.isActive()) {
      return;
    }
    draining = true; // a flush may bring a change of writability, which comes back here
    try {
      if (upload.drainTo(bytes -> write(to, bytes)) || upload.drained() == wireLength) {
        requestComplete = true;
        to.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
      } else {
        to.flush();
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } finally {
      draining = false;
    }
  }

  private static int write(Channel to, ByteBuffer bytes) {
    if (!to.isWritable()) {
      to.flush();
      if (!to.isWritable()) {
        return 0;
      }
    }
    int n = Math.min(bytes.remaining(), Contents.PIECE);
    to.write(new DefaultHttpContent(Unpooled.copiedBuffer(bytes.slice(bytes.position(), n))));
    bytes.position(bytes.position() + n);
    return n;
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (ctx.channel().isWritable()) {
      drain();
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, HttpObject msg) {
    DecoderResult decoded = msg.decoderResult();
    if (decoded.isFailure()) {
      broken(
          decoded.cause() instanceof TooLongHttpHeaderException
              ? Failure.OVERSIZED_HEAD
              : headSeen ? Failure.TRUNCATED : Failure.GARBAGE,
          decoded.cause());
      return;
    }
    if (msg instanceof HttpResponse response) {
      if (response.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
        if (response.status().code() == 100) {
          goAhead.raise();
        }
        return;
      }
      headSeen = true;
      lengthTold = lengthOf(response);
      keepAlive = HttpUtil.isKeepAlive(response) || call.keepsWhatIsToBeClosed;
      if (!requestComplete && call.stopsAtTheHead) {
        upload.stop();
      } else if (!requestComplete) {
        upload.answered();
      }
      goAhead.raise();
      head.complete(response);
    }
    if (msg instanceof HttpContent content && headSeen) {
      received += content.content().readableBytes();
      window -= content.content().readableBytes();
      download.offer(content.content().nioBuffer());
      if (window <= 0) {
        ctx.channel().config().setAutoRead(false);
      }
      if (msg instanceof LastHttpContent last) {
        if (lengthTold >= 0 && received != lengthTold && !call.ignoresLengths) {
          broken(Failure.MALFORMED, null); // Netty takes none at all for the answer to a HEAD
          return;
        }
        last.trailingHeaders().forEach(each -> trailers.put(each.getKey(), each.getValue()));
        responseComplete = true;
        upload.stop();
        end(keepAlive && (requestComplete || call.keepsHalfSent));
        download.end();
      }
    }
  }

  /** −1 where there is none, or no body. */
  private long lengthOf(HttpResponse response) {
    int status = response.status().code();
    return call.isHead() || status == 204 || status == 304
        ? -1
        : HttpUtil.getContentLength(response, -1L);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof Http2ResetFrame reset && !responseComplete) {
      broken(
          reset.errorCode() == Http2Error.REFUSED_STREAM.code()
              ? Failure.REFUSED_STREAM
              : Failure.STREAM_RESET,
          null);
    } else if (event instanceof Http2GoAwayFrame) {
      reason = Failure.GOAWAY;
    }
    ReferenceCountUtil.release(event);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      reason = headSeen ? Failure.RESET_IN_BODY : Failure.RESET_BEFORE_HEAD;
    }
    ctx.close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    closed();
  }

  private void closed() {
    Failure kind = reason;
    if (channel instanceof Http2StreamChannel stream
        && !headSeen
        && lease.isRefused(stream.stream().id())) {
      kind = Failure.GOAWAY;
    }
    if (kind == null) {
      kind = headSeen ? closedInBody() : Failure.RESET_BEFORE_HEAD;
    }
    broken(kind, kind == Failure.RESET_BEFORE_HEAD && lease.reused ? new Stale() : null);
  }

  private Failure closedInBody() {
    return client.settings.wire().isMultiplexed() ? Failure.RESET_IN_BODY : Failure.TRUNCATED;
  }

  private void broken(Failure kind, @Nullable Throwable cause) {
    if (!responseComplete) {
      ReferenceException failure =
          new ReferenceException(client.isClosed() ? Failure.CLOSED : kind, cause);
      Throwable told = cause instanceof Stale ? staled(failure) : failure;
      head.fail(told);
      upload.fail(told);
      goAhead.raise();
      download.fail(told);
    }
    abort();
  }

  /** So that the caller, who makes an exception of its own, finds the cause one step down. */
  private static Throwable staled(ReferenceException failure) {
    return Kit.present(failure.getCause(), "cause");
  }

  private void abort() {
    if (responseComplete && requestComplete) {
      return;
    }
    Channel open = channel;
    if (open != null) {
      if (open instanceof Http2StreamChannel) {
        open.close(); // resets the stream
      } else {
        ReferencePool.drop(open);
      }
      end(false);
    } else if (lease.connection.eventLoop().inEventLoop() && !lease.connection.isActive()) {
      end(false);
    }
  }

  private void end(boolean reusable) {
    client.running.remove(this);
    Channel open = channel;
    if (open != null && !(open instanceof Http2StreamChannel)) {
      if (open.pipeline().context(this) != null && reusable) {
        open.pipeline().remove(this);
        open.config().setAutoRead(true);
      }
    } else if (open != null && !requestComplete) {
      open.close();
    }
    lease.release(reusable);
  }
}
