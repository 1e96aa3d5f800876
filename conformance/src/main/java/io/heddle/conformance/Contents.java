package io.heddle.conformance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The bytes of all bodies: endless, the same each time, and with a period that is a prime, so that
 * a buffer of theirs that is lost, doubled or in the wrong place shows in the checksum.
 */
final class Contents {

  static final int PERIOD = 65_521;

  /** How many bytes {@link #copy} and the server take at most at a time. */
  static final int PIECE = 16 * 1024;

  /** How many bytes are told of those that are wrong. */
  private static final int TOLD = 40;

  private static final byte[] BYTES = bytes();

  private Contents() {}

  private static byte[] bytes() {
    byte[] bytes = new byte[PERIOD + PIECE];
    int state = 1;
    for (int i = 0; i < PERIOD; i++) {
      state = state * 1_664_525 + 1_013_904_223;
      bytes[i] = (byte) (state >>> 24);
    }
    System.arraycopy(bytes, 0, bytes, PERIOD, PIECE);
    return bytes;
  }

  /** An array that holds, from {@link #offset}, at least {@link #PIECE} bytes of the contents. */
  static byte[] array() {
    return BYTES;
  }

  /** Where in {@link #array} the byte at this position of a body is. */
  static int offset(long position) {
    return (int) (position % PERIOD);
  }

  /** The first {@code length} bytes. */
  static byte[] first(int length) {
    return range(0, length);
  }

  /** So many bytes from this position. */
  static byte[] range(long position, int length) {
    byte[] copy = new byte[length];
    for (int done = 0; done < length; ) {
      done += copy(position + done, copy, done, length - done);
    }
    return copy;
  }

  /** Copies up to {@code length} bytes from this position, and says how many. */
  static int copy(long position, byte[] to, int from, int length) {
    int n = Math.min(length, PIECE);
    System.arraycopy(BYTES, offset(position), to, from, n);
    return n;
  }

  /** The checksum of the first {@code length} bytes. */
  static long checksum(long length) {
    return checksum(0, length);
  }

  /** The checksum of so many bytes from this position. */
  static long checksum(long position, long length) {
    CRC32C crc = new CRC32C();
    for (long done = 0; done < length; ) {
      int n = (int) Math.min(PIECE, length - done);
      crc.update(BYTES, offset(position + done), n);
      done += n;
    }
    return crc.getValue();
  }

  /** The first {@code length} bytes, as a stream that can be read once. */
  static InputStream stream(long length) {
    return stream(0, length);
  }

  /** So many bytes from this position, as a stream that can be read once. */
  static InputStream stream(long from, long length) {
    return new InputStream() {
      private final long end = from + length;
      private long position = from;

      @Override
      public int read() {
        return position == end ? -1 : BYTES[offset(position++)] & 0xff;
      }

      @Override
      public int read(byte[] b, int off, int len) {
        if (len == 0) {
          return 0;
        }
        if (position == end) {
          return -1;
        }
        int n = copy(position, b, off, (int) Math.min(len, end - position));
        position += n;
        return n;
      }
    };
  }

  /** A writer of the first {@code length} bytes. */
  static BodyWriter writer(long length) {
    return out -> {
      for (long done = 0; done < length; ) {
        int n = (int) Math.min(PIECE, length - done);
        out.write(BYTES, offset(done), n);
        done += n;
      }
    };
  }

  /** A writer that never ends by itself. */
  static BodyWriter endless() {
    return writer(Long.MAX_VALUE);
  }

  /**
   * Reads a body to its end and checks each byte.
   *
   * @return its length
   * @throws AssertionError at the first byte that is wrong
   */
  static long check(InputStream in) throws IOException {
    byte[] buffer = new byte[PIECE];
    long position = 0;
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      check(buffer, n, position);
      position += n;
    }
    return position;
  }

  /** Checks that the first {@code n} bytes of a buffer are those at this position. */
  static void check(byte[] buffer, int n, long position) {
    int wrong = mismatch(buffer, n, position);
    if (wrong >= 0) {
      String there = new String(buffer, wrong, Math.min(TOLD, n - wrong), ISO_8859_1);
      throw new AssertionError(
          "the byte at position " + (position + wrong) + " is wrong; from there: " + there);
    }
  }

  /** Whether these are the bytes at this position. */
  static boolean matches(byte[] bytes, long position) {
    return mismatch(bytes, bytes.length, position) < 0;
  }

  /** The index of the first byte of a buffer that is not what it should be; −1 if there is none. */
  private static int mismatch(byte[] buffer, int n, long position) {
    for (int done = 0; done < n; ) {
      int length = Math.min(PIECE, n - done);
      int from = offset(position + done);
      int wrong = Arrays.mismatch(buffer, done, done + length, BYTES, from, from + length);
      if (wrong >= 0) {
        return done + wrong;
      }
      done += length;
    }
    return -1;
  }
}
