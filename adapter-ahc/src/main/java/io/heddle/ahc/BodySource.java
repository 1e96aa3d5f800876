package io.heddle.ahc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import java.io.EOFException;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.asynchttpclient.Request;
import org.asynchttpclient.request.body.Body;
import org.asynchttpclient.request.body.generator.BodyGenerator;
import org.asynchttpclient.request.body.generator.ByteArrayBodyGenerator;
import org.asynchttpclient.request.body.generator.FeedableBodyGenerator;
import org.asynchttpclient.request.body.generator.FileBodyGenerator;
import org.asynchttpclient.request.body.generator.InputStreamBodyGenerator;
import org.asynchttpclient.request.body.multipart.MultipartBody;
import org.asynchttpclient.request.body.multipart.MultipartUtils;
import org.asynchttpclient.util.HttpUtils;
import org.jspecify.annotations.Nullable;

/**
 * A request body that has to be read from somewhere, or written by somebody: streams, files, parts,
 * {@link WrittenBody} and generators of the user's own. AHC would do that on an event loop.
 *
 * @param length in bytes; −1 if it is not known
 * @param isRepeatable whether it can be written more than once
 * @param contentType that the body brings along; null if none
 */
record BodySource(
    long length, boolean isRepeatable, @Nullable String contentType, WrittenBody.Writer writer) {

  /**
   * The source of this request's body; null if it has none, or one that is in memory and that AHC
   * may send as it is.
   */
  static @Nullable BodySource of(Request request) {
    InputStream stream = request.getStreamData();
    if (stream != null) {
      return ofStream(stream, -1);
    }
    BodyGenerator generator = request.getBodyGenerator();
    List<?> parts = request.getBodyParts();
    if (isInMemory(request)) {
      return expectsContinue(request) ? ofMemory(request) : null;
    }
    if (parts != null && !parts.isEmpty()) {
      return ofParts(request);
    }
    File file = request.getFile();
    if (file != null) {
      return ofFile(file, 0, file.length());
    }
    if (generator instanceof WrittenBody written) {
      return new BodySource(written.length(), false, null, written::writeTo);
    }
    if (generator instanceof InputStreamBodyGenerator of) {
      return ofStream(of.getInputStream(), of.getContentLength());
    }
    if (generator instanceof FileBodyGenerator of) {
      return ofFile(of.getFile(), of.getRegionSeek(), of.getRegionLength());
    }
    if (generator == null
        || generator instanceof FeedableBodyGenerator
        || generator instanceof ByteArrayBodyGenerator) {
      return null;
    }
    return ofGenerator(generator);
  }

  private static boolean isInMemory(Request request) {
    return request.getByteData() != null
        || request.getCompositeByteData() != null
        || request.getStringData() != null
        || request.getByteBufferData() != null
        || request.getByteBufData() != null
        || isForm(request);
  }

  private static boolean isForm(Request request) {
    return request.getFormParams() != null && !request.getFormParams().isEmpty();
  }

  private static boolean expectsContinue(Request request) {
    return request.getHeaders().contains(HttpHeaderNames.EXPECT, HttpHeaderValues.CONTINUE, true);
  }

  /** AHC sends such a body with the head, even if the request asks to continue. */
  private static BodySource ofMemory(Request request) {
    String contentType = null;
    ByteBuf bytes;
    if (request.getByteData() != null) {
      bytes = Unpooled.wrappedBuffer(request.getByteData());
    } else if (request.getCompositeByteData() != null) {
      bytes = Unpooled.wrappedBuffer(request.getCompositeByteData().toArray(new byte[0][]));
    } else if (request.getStringData() != null) {
      bytes = Unpooled.copiedBuffer(request.getStringData(), request.getCharset());
    } else if (request.getByteBufferData() != null) {
      bytes = Unpooled.wrappedBuffer(request.getByteBufferData());
    } else if (request.getByteBufData() != null) {
      bytes = Unpooled.wrappedBuffer(request.getByteBufData().nioBuffer());
    } else {
      ByteBuffer form =
          HttpUtils.urlEncodeFormParams(request.getFormParams(), request.getCharset());
      bytes = Unpooled.wrappedBuffer(form);
      if (!request.getHeaders().contains(HttpHeaderNames.CONTENT_TYPE)) {
        contentType = HttpHeaderValues.APPLICATION_X_WWW_FORM_URLENCODED.toString();
      }
    }
    int from = bytes.readerIndex();
    int length = bytes.readableBytes();
    return new BodySource(length, true, contentType, out -> bytes.getBytes(from, out, length));
  }

  private static BodySource ofStream(InputStream stream, long length) {
    return new BodySource(
        length,
        false,
        null,
        out -> {
          try (stream) {
            stream.transferTo(out);
          }
        });
  }

  private static BodySource ofFile(File file, long from, long length) {
    return new BodySource(
        length,
        true,
        null,
        out -> {
          try (InputStream stream = new FileInputStream(file)) {
            stream.skipNBytes(from);
            byte[] buffer = new byte[16 * 1024];
            for (long rest = length; rest > 0; ) {
              int n = stream.read(buffer, 0, (int) Math.min(rest, buffer.length));
              if (n < 0) {
                throw new EOFException(file + " ends early");
              }
              out.write(buffer, 0, n);
              rest -= n;
            }
          }
        });
  }

  private static BodySource ofParts(Request request) {
    MultipartBody first =
        MultipartUtils.newMultipartBody(request.getBodyParts(), request.getHeaders());
    return new BodySource(
        first.getContentLength(), false, first.getContentType(), out -> copy(first, out));
  }

  private static BodySource ofGenerator(BodyGenerator generator) {
    Body first = generator.createBody();
    return new BodySource(first.getContentLength(), false, null, out -> copy(first, out));
  }

  private static void copy(Body body, OutputStream out) throws IOException {
    ByteBuf buffer = Unpooled.buffer(8192, 8192);
    try (body) {
      for (Body.BodyState state = Body.BodyState.CONTINUE; state != Body.BodyState.STOP; ) {
        buffer.clear();
        state = body.transferTo(buffer);
        if (state == Body.BodyState.SUSPEND && !buffer.isReadable()) {
          throw new IOException("the body generator has no bytes now, and cannot say when it has");
        }
        buffer.readBytes(out, buffer.readableBytes());
      }
    } finally {
      buffer.release();
    }
  }
}
