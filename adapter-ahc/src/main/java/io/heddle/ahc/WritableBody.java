package io.heddle.ahc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.EOFException;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.asynchttpclient.Request;
import org.asynchttpclient.request.body.Body;
import org.asynchttpclient.request.body.generator.BodyGenerator;
import org.asynchttpclient.request.body.generator.ByteArrayBodyGenerator;
import org.asynchttpclient.request.body.generator.FeedableBodyGenerator;
import org.asynchttpclient.request.body.generator.FileBodyGenerator;
import org.asynchttpclient.request.body.generator.InputStreamBodyGenerator;
import org.asynchttpclient.request.body.multipart.InputStreamPart;
import org.asynchttpclient.request.body.multipart.MultipartBody;
import org.asynchttpclient.request.body.multipart.MultipartUtils;
import org.asynchttpclient.request.body.multipart.Part;
import org.asynchttpclient.util.HttpUtils;
import org.jspecify.annotations.Nullable;

/**
 * A request body that has to be read from somewhere, or written by somebody: streams, files, parts,
 * {@link WrittenBody} and generators of the user's own. AHC would do that on an event loop.
 *
 * @param length in bytes; −1 if it is not known
 * @param again whether it can be written more than once
 * @param contentType that the body brings along; null if none
 */
record WritableBody(
    long length, Again again, @Nullable String contentType, WrittenBody.Writer writer) {

  /** Whether a body can be written once more. */
  enum Again {
    NEVER,
    /** By the one that wrote it before, as far as a stream can be reset. */
    REWINDING,
    /** By a new one of the same request as well. */
    ALWAYS
  }

  /** How much a stream is asked to remember; those that have all in memory ignore it. */
  private static final int REWIND_BYTES = 64 * 1024;

  /**
   * This request's body; null if it has none, or one that is in memory and that AHC may send as it
   * is.
   *
   * @param fileChunk how many bytes of a file are read at a time
   * @throws IllegalArgumentException if the request has a Content-Length that its body cannot have:
   *     what follows on the connection would be taken for the body's rest
   */
  static @Nullable WritableBody of(Request request, int fileChunk) {
    boolean inMemory = request.getStreamData() == null && isInMemory(request);
    boolean asItIs = inMemory && !expectsContinue(request);
    long declared = declaredLength(request);
    if (asItIs && declared < 0) {
      return null;
    }
    WritableBody body = inMemory ? ofMemory(request) : elsewhere(request, fileChunk);
    if (declared < 0) {
      return body;
    }
    long length = body == null ? knownLength(request.getBodyGenerator(), declared) : body.length;
    if (length >= 0 && length != declared) {
      throw new IllegalArgumentException(
          "the request says Content-Length: " + declared + ", its body has " + length + " bytes");
    }
    return body == null || asItIs
        ? null
        : new WritableBody(declared, body.again, body.contentType, body.writer);
  }

  /** What a Content-Length of the user's says; −1 if there is none. */
  static long declaredLength(Request request) {
    String declared = request.getHeaders().get(HttpHeaderNames.CONTENT_LENGTH);
    if (declared == null) {
      return -1;
    }
    try {
      return Long.parseUnsignedLong(declared.trim());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("the request says Content-Length: " + declared, e);
    }
  }

  /** Of a body that AHC sends as it is; {@code declared} if only its generator knows. */
  private static long knownLength(@Nullable BodyGenerator generator, long declared) {
    if (generator == null) {
      return 0;
    }
    return generator instanceof ByteArrayBodyGenerator
        ? generator.createBody().getContentLength()
        : declared;
  }

  private static @Nullable WritableBody elsewhere(Request request, int fileChunk) {
    InputStream stream = request.getStreamData();
    if (stream != null) {
      return ofStream(stream, -1);
    }
    List<?> parts = request.getBodyParts();
    if (parts != null && !parts.isEmpty()) {
      return ofParts(request);
    }
    File file = request.getFile();
    if (file != null) {
      return ofFile(file, 0, file.length(), fileChunk);
    }
    BodyGenerator generator = request.getBodyGenerator();
    return switch (generator) {
      case null -> null;
      case FeedableBodyGenerator of -> null;
      case ByteArrayBodyGenerator of -> null;
      case WrittenBody of -> new WritableBody(of.length(), Again.NEVER, null, of::writeTo);
      case InputStreamBodyGenerator of -> ofStream(of.getInputStream(), of.getContentLength());
      case FileBodyGenerator of ->
          ofFile(of.getFile(), of.getRegionSeek(), of.getRegionLength(), fileChunk);
      default -> ofGenerator(generator);
    };
  }

  private static boolean isInMemory(Request request) {
    return request.getByteData() != null
        || request.getCompositeByteData() != null
        || request.getStringData() != null
        || request.getByteBufferData() != null
        || request.getByteBufData() != null
        || (request.getFormParams() != null && !request.getFormParams().isEmpty());
  }

  private static boolean expectsContinue(Request request) {
    return request.getHeaders().contains(HttpHeaderNames.EXPECT, HttpHeaderValues.CONTINUE, true);
  }

  /** AHC sends such a body with the head, even if the request asks to continue. */
  private static WritableBody ofMemory(Request request) {
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
    return new WritableBody(
        length, Again.ALWAYS, contentType, out -> bytes.getBytes(from, out, length));
  }

  private static WritableBody ofStream(InputStream stream, long length) {
    if (!stream.markSupported()) {
      return new WritableBody(length, Again.NEVER, null, out -> copy(stream, out));
    }
    AtomicBoolean begun = new AtomicBoolean();
    return new WritableBody(
        length,
        Again.REWINDING,
        null,
        out -> {
          if (begun.getAndSet(true)) {
            stream.reset();
          } else {
            stream.mark(REWIND_BYTES);
          }
          copy(stream, out);
        });
  }

  private static void copy(InputStream stream, OutputStream out) throws IOException {
    try (stream) {
      stream.transferTo(out);
    }
  }

  private static WritableBody ofFile(File file, long from, long length, int chunk) {
    if (!file.isFile()) { // as AHC: before anything is sent
      throw new IllegalArgumentException("File " + file + " is not a file or doesn't exist");
    }
    return new WritableBody(
        length,
        Again.ALWAYS,
        null,
        out -> {
          try (InputStream stream = new FileInputStream(file)) {
            stream.skipNBytes(from);
            byte[] buffer = new byte[chunk];
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

  private static WritableBody ofParts(Request request) {
    List<Part> parts = request.getBodyParts();
    MultipartBody first = MultipartUtils.newMultipartBody(parts, request.getHeaders());
    HttpHeaders sameBoundary =
        new DefaultHttpHeaders().set(HttpHeaderNames.CONTENT_TYPE, first.getContentType());
    AtomicReference<@Nullable MultipartBody> next = new AtomicReference<>(first);
    return new WritableBody(
        first.getContentLength(),
        parts.stream().anyMatch(InputStreamPart.class::isInstance) ? Again.NEVER : Again.ALWAYS,
        first.getContentType(),
        out -> {
          MultipartBody body = next.getAndSet(null);
          copy(body != null ? body : MultipartUtils.newMultipartBody(parts, sameBoundary), out);
        });
  }

  private static WritableBody ofGenerator(BodyGenerator generator) {
    Body first = generator.createBody();
    return new WritableBody(first.getContentLength(), Again.NEVER, null, out -> copy(first, out));
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
