package io.heddle.conformance;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A body that is unpacked, and read to its own end. {@link GZIPInputStream} stops where what is
 * packed ends, which on JDK 21 may be before the end of the body has come (JDK-7036144): then a
 * close gives the body up. And what fails while it looks for more it keeps to itself.
 */
public final class GzipBody extends GZIPInputStream {

  /**
   * A body that is about to be read.
   *
   * @throws IOException if it does not begin as what is packed does, or cannot be read
   */
  public GzipBody(InputStream packed) throws IOException {
    super(new Packed(packed));
  }

  @Override
  public int read(byte[] b, int off, int len) throws IOException {
    int n = super.read(b, off, len);
    if (n < 0) {
      long unused = in.transferTo(OutputStream.nullOutputStream());
    }
    return n;
  }

  /** Fails again as it has failed first. */
  private static final class Packed extends FilterInputStream {
    private @Nullable IOException failure;

    Packed(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] b, int off, int len) throws IOException {
      IOException before = failure;
      if (before != null) {
        throw before;
      }
      try {
        return super.read(b, off, len);
      } catch (IOException e) {
        failure = e;
        throw e;
      }
    }
  }
}
