package io.heddle.okhttp;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.util.Objects;
import okio.Buffer;
import okio.BufferedSource;
import okio.ByteString;
import okio.Okio;
import okio.Options;
import okio.Sink;
import okio.Source;
import okio.Timeout;
import okio.TypedOptions;
import org.jspecify.annotations.Nullable;

/**
 * okio's own buffered source, but for its {@link #inputStream()}. There, okio waits for bytes even
 * where none are asked for, so that {@link InputStream#readNBytes(int)}, which ends by asking for
 * none, hangs on a server that has stalled, although it has all its bytes.
 *
 * <p>All else passes through.
 */
final class BodySource implements BufferedSource {

  private final BufferedSource source;

  BodySource(Source source) {
    this.source = Okio.buffer(source);
  }

  /** Asked for nothing, it gives nothing. */
  @Override
  public InputStream inputStream() {
    return new FilterInputStream(source.inputStream()) {
      @Override
      public int read(byte[] b, int off, int len) throws IOException {
        Objects.checkFromIndexSize(off, len, b.length);
        return len == 0 ? 0 : in.read(b, off, len);
      }

      @Override
      public String toString() {
        return in.toString();
      }
    };
  }

  @SuppressWarnings("deprecation") // until okio takes it away
  @Override
  public Buffer buffer() {
    return source.buffer();
  }

  @Override
  public Buffer getBuffer() {
    return source.getBuffer();
  }

  @Override
  public boolean exhausted() throws IOException {
    return source.exhausted();
  }

  @Override
  public void require(long byteCount) throws IOException {
    source.require(byteCount);
  }

  @Override
  public boolean request(long byteCount) throws IOException {
    return source.request(byteCount);
  }

  @Override
  public byte readByte() throws IOException {
    return source.readByte();
  }

  @Override
  public short readShort() throws IOException {
    return source.readShort();
  }

  @Override
  public short readShortLe() throws IOException {
    return source.readShortLe();
  }

  @Override
  public int readInt() throws IOException {
    return source.readInt();
  }

  @Override
  public int readIntLe() throws IOException {
    return source.readIntLe();
  }

  @Override
  public long readLong() throws IOException {
    return source.readLong();
  }

  @Override
  public long readLongLe() throws IOException {
    return source.readLongLe();
  }

  @Override
  public long readDecimalLong() throws IOException {
    return source.readDecimalLong();
  }

  @Override
  public long readHexadecimalUnsignedLong() throws IOException {
    return source.readHexadecimalUnsignedLong();
  }

  @Override
  public void skip(long byteCount) throws IOException {
    source.skip(byteCount);
  }

  @Override
  public ByteString readByteString() throws IOException {
    return source.readByteString();
  }

  @Override
  public ByteString readByteString(long byteCount) throws IOException {
    return source.readByteString(byteCount);
  }

  @Override
  public int select(Options options) throws IOException {
    return source.select(options);
  }

  @Override
  public <T> @Nullable T select(TypedOptions<T> options) throws IOException {
    return source.select(options);
  }

  @Override
  public byte[] readByteArray() throws IOException {
    return source.readByteArray();
  }

  @Override
  public byte[] readByteArray(long byteCount) throws IOException {
    return source.readByteArray(byteCount);
  }

  @Override
  public int read(byte[] sink) throws IOException {
    return source.read(sink);
  }

  @Override
  public void readFully(byte[] sink) throws IOException {
    source.readFully(sink);
  }

  @Override
  public int read(byte[] sink, int offset, int byteCount) throws IOException {
    return source.read(sink, offset, byteCount);
  }

  @Override
  public int read(ByteBuffer sink) throws IOException {
    return source.read(sink);
  }

  @Override
  public long read(Buffer sink, long byteCount) throws IOException {
    return source.read(sink, byteCount);
  }

  @Override
  public void readFully(Buffer sink, long byteCount) throws IOException {
    source.readFully(sink, byteCount);
  }

  @Override
  public long readAll(Sink sink) throws IOException {
    return source.readAll(sink);
  }

  @Override
  public String readUtf8() throws IOException {
    return source.readUtf8();
  }

  @Override
  public String readUtf8(long byteCount) throws IOException {
    return source.readUtf8(byteCount);
  }

  @Override
  public @Nullable String readUtf8Line() throws IOException {
    return source.readUtf8Line();
  }

  @Override
  public String readUtf8LineStrict() throws IOException {
    return source.readUtf8LineStrict();
  }

  @Override
  public String readUtf8LineStrict(long limit) throws IOException {
    return source.readUtf8LineStrict(limit);
  }

  @Override
  public int readUtf8CodePoint() throws IOException {
    return source.readUtf8CodePoint();
  }

  @Override
  public String readString(Charset charset) throws IOException {
    return source.readString(charset);
  }

  @Override
  public String readString(long byteCount, Charset charset) throws IOException {
    return source.readString(byteCount, charset);
  }

  @Override
  public long indexOf(byte b) throws IOException {
    return source.indexOf(b);
  }

  @Override
  public long indexOf(byte b, long fromIndex) throws IOException {
    return source.indexOf(b, fromIndex);
  }

  @Override
  public long indexOf(byte b, long fromIndex, long toIndex) throws IOException {
    return source.indexOf(b, fromIndex, toIndex);
  }

  @Override
  public long indexOf(ByteString bytes) throws IOException {
    return source.indexOf(bytes);
  }

  @Override
  public long indexOf(ByteString bytes, long fromIndex) throws IOException {
    return source.indexOf(bytes, fromIndex);
  }

  @Override
  public long indexOf(ByteString bytes, long fromIndex, long toIndex) throws IOException {
    return source.indexOf(bytes, fromIndex, toIndex);
  }

  @Override
  public long indexOfElement(ByteString targetBytes) throws IOException {
    return source.indexOfElement(targetBytes);
  }

  @Override
  public long indexOfElement(ByteString targetBytes, long fromIndex) throws IOException {
    return source.indexOfElement(targetBytes, fromIndex);
  }

  @Override
  public boolean rangeEquals(long offset, ByteString bytes) throws IOException {
    return source.rangeEquals(offset, bytes);
  }

  @Override
  public boolean rangeEquals(long offset, ByteString bytes, int bytesOffset, int byteCount)
      throws IOException {
    return source.rangeEquals(offset, bytes, bytesOffset, byteCount);
  }

  @Override
  public BufferedSource peek() {
    return source.peek();
  }

  @Override
  public Timeout timeout() {
    return source.timeout();
  }

  @Override
  public boolean isOpen() {
    return source.isOpen();
  }

  @Override
  public void close() throws IOException {
    source.close();
  }

  @Override
  public String toString() {
    return source.toString();
  }
}
