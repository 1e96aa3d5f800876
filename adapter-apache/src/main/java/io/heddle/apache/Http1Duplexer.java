package io.heddle.apache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.ContentLengthStrategy;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.config.CharCodingConfig;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.BasicHttpTransportMetrics;
import org.apache.hc.core5.http.impl.DefaultContentLengthStrategy;
import org.apache.hc.core5.http.impl.nio.AbstractContentDecoder;
import org.apache.hc.core5.http.impl.nio.ChunkEncoder;
import org.apache.hc.core5.http.impl.nio.ClientHttp1StreamDuplexer;
import org.apache.hc.core5.http.impl.nio.DefaultHttpRequestWriterFactory;
import org.apache.hc.core5.http.nio.ContentDecoder;
import org.apache.hc.core5.http.nio.ContentEncoder;
import org.apache.hc.core5.http.nio.NHttpMessageParser;
import org.apache.hc.core5.http.nio.SessionInputBuffer;
import org.apache.hc.core5.http.nio.SessionOutputBuffer;
import org.apache.hc.core5.reactor.ProtocolIOSession;

/**
 * The engine's HTTP/1.1, with long bodies led past its buffers: they travel through a {@link
 * TransferBuffer}, in large pieces, so that a connection needs small buffers only. Everything here
 * runs on the thread that has the {@linkplain Http1Session turn}.
 */
final class Http1Duplexer extends ClientHttp1StreamDuplexer {

  private final Http1Session session;

  Http1Duplexer(
      ProtocolIOSession ioSession,
      Http1Config config,
      CharCodingConfig charCodingConfig,
      NHttpMessageParser<HttpResponse> parser,
      Http1Session session) {
    super(
        ioSession,
        ProtocolStarter.NO_INTERCEPTORS,
        config,
        charCodingConfig,
        // Whether to keep a connection is the classic chain's decision, after the response.
        (request, response, context) -> true,
        parser,
        DefaultHttpRequestWriterFactory.INSTANCE.create(),
        DefaultContentLengthStrategy.INSTANCE,
        DefaultContentLengthStrategy.INSTANCE,
        session);
    this.session = session;
  }

  @Override
  protected ContentDecoder createContentDecoder(
      long length,
      ReadableByteChannel channel,
      SessionInputBuffer buffer,
      BasicHttpTransportMetrics metrics)
      throws HttpException {
    return length >= 0
        ? new OfKnownLength(channel, buffer, metrics, length, session)
        : super.createContentDecoder(length, channel, buffer, metrics);
  }

  @Override
  protected ContentEncoder createContentEncoder(
      long length,
      WritableByteChannel channel,
      SessionOutputBuffer buffer,
      BasicHttpTransportMetrics metrics)
      throws HttpException {
    return length == ContentLengthStrategy.CHUNKED
        ? new InLargeChunks(channel, buffer, metrics)
        : super.createContentEncoder(length, channel, buffer, metrics);
  }

  /** A response body with a Content-Length (RFC 9112, 6.2). */
  private static final class OfKnownLength extends AbstractContentDecoder {
    private final long length;
    private final Http1Session session;
    private long left;

    OfKnownLength(
        ReadableByteChannel channel,
        SessionInputBuffer buffer,
        BasicHttpTransportMetrics metrics,
        long length,
        Http1Session session) {
      super(channel, buffer, metrics);
      this.length = length;
      this.left = length;
      this.session = session;
    }

    /**
     * Gives the engine what it has buffered, and hands on what comes from the channel; then {@code
     * dst} stays empty and the number returned is what was handed on, for the engine's account of
     * the window.
     */
    @Override
    public int read(ByteBuffer dst) throws IOException {
      if (isCompleted()) {
        return -1;
      }
      int n;
      if (buffer().hasData()) {
        n = buffer().read(dst, (int) Math.min(left, buffer().length()));
      } else {
        n = handOn();
        if (n == left) {
          lookBehind();
        }
      }
      if (n < 0) {
        setCompleted();
        throw new ConnectionClosedException(
            "Premature end of Content-Length delimited message body (expected: %d; received: %d)",
            length, length - left);
      }
      left -= n;
      if (left == 0) {
        setCompleted();
        return n > 0 ? n : -1;
      }
      return n;
    }

    private int handOn() throws IOException {
      try (TransferBuffer buffer = TransferBuffer.borrow()) {
        ByteBuffer transfer = buffer.bytes();
        transfer.limit((int) Math.min(left, transfer.capacity()));
        int n = readFromChannel(transfer);
        session.consume(transfer.flip());
        return n;
      }
    }

    /** Takes what came behind the body, if anything did: see {@code responseEnds}. */
    private void lookBehind() {
      try {
        buffer().fill(channel());
      } catch (IOException broken) {
        return; // behind this response; the next event tells
      }
    }
  }

  /** A request body whose length is not known (RFC 9112, 7.1). */
  private static final class InLargeChunks extends ChunkEncoder {

    /** Below this the engine gathers pieces in its buffer, with the head of the request. */
    private static final int LARGE = 2 * 1024;

    private static final int MAX_CHUNK = 16 * 1024;
    private static final byte[] LINE_END = {'\r', '\n'};

    InLargeChunks(
        WritableByteChannel channel,
        SessionOutputBuffer buffer,
        BasicHttpTransportMetrics metrics) {
      super(channel, buffer, metrics, LARGE);
    }

    @Override
    public int write(ByteBuffer src) throws IOException {
      assertNotCompleted();
      int before = src.position();
      while (src.remaining() >= LARGE) {
        flushToChannel();
        if (buffer().hasData()) {
          return src.position() - before;
        }
        writeChunk(src);
      }
      super.write(src);
      return src.position() - before;
    }

    private void writeChunk(ByteBuffer src) throws IOException {
      int n = Math.min(src.remaining(), MAX_CHUNK);
      try (TransferBuffer buffer = TransferBuffer.borrow()) {
        ByteBuffer chunk = buffer.bytes();
        chunk.put(Integer.toHexString(n).getBytes(StandardCharsets.US_ASCII)).put(LINE_END);
        chunk.put(chunk.position(), src, src.position(), n).position(chunk.position() + n);
        chunk.put(LINE_END).flip();
        src.position(src.position() + n);
        writeToChannel(chunk);
        if (chunk.hasRemaining()) {
          buffer().write(chunk); // the engine sends it when the channel has room again
        }
      }
    }
  }
}
