package io.heddle.conformance;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;

/** What {@link Hostility} is made of: frames, fields, and what does not end. */
final class HostileBytes {

  /** More than a client can be ready to take. */
  static final long ENOUGH = 1024L * 1024 * 1024;

  static final String OK = "HTTP/1.1 200 OK\r\n";
  static final String CHUNKED = OK + "Transfer-Encoding: chunked\r\n\r\n";

  // RFC 9113, 6.
  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int PRIORITY = 2;
  static final int RST_STREAM = 3;
  static final int SETTINGS = 4;
  static final int PUSH_PROMISE = 5;
  static final int PING = 6;
  static final int WINDOW_UPDATE = 8;
  static final int CONTINUATION = 9;
  static final int FRAME = 16 * 1024;
  static final int END_HEADERS = 4;
  static final int END_STREAM = 1;

  /** {@code :status: 200}, by RFC 7541, A. */
  static final byte[] STATUS_200 = {(byte) 0x88};

  /** So much of nothing, in a thousandth of that. */
  static byte[] bomb(long bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      byte[] nothing = new byte[64 * 1024];
      for (long done = 0; done < bytes; done += nothing.length) {
        gzip.write(nothing);
      }
    }
    return out.toByteArray();
  }

  static void text(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  static void forever(OutputStream out, String text) throws IOException {
    forever(out, text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Until the client leaves; for at most {@link HostileCalls#FLOOD}, and {@link #ENOUGH}. */
  static void forever(OutputStream out, byte[] piece) throws IOException {
    int times = Math.max(1, 16 * 1024 / piece.length);
    byte[] pieces = new byte[times * piece.length];
    for (int i = 0; i < times; i++) {
      System.arraycopy(piece, 0, pieces, i * piece.length, piece.length);
    }
    long start = System.nanoTime();
    for (long sent = 0;
        sent < ENOUGH && System.nanoTime() - start < HostileCalls.FLOOD.toNanos();
        sent += pieces.length) {
      out.write(pieces);
    }
    out.flush();
  }

  static void answer(OutputStream out, int stream, byte[]... block) throws IOException {
    out.write(frame(HEADERS, END_HEADERS | END_STREAM, stream, concat(block)));
    out.flush();
  }

  static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] each : parts) {
      all.writeBytes(each);
    }
    return all.toByteArray();
  }

  /** A field of HPACK that goes into no table; its name has less than 127 bytes. */
  static byte[] field(String name, String value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(0);
    out.write(name.length());
    out.writeBytes(name.getBytes(StandardCharsets.ISO_8859_1));
    int length = value.length();
    if (length < 127) {
      out.write(length);
    } else {
      out.write(127);
      for (length -= 127; length >= 128; length >>= 7) {
        out.write((length & 127) | 128);
      }
      out.write(length);
    }
    out.writeBytes(value.getBytes(StandardCharsets.ISO_8859_1));
    return out.toByteArray();
  }

  static byte[] frame(int type, int flags, int stream, byte... payload) {
    byte[] frame = new byte[9 + payload.length];
    frame[0] = (byte) (payload.length >> 16);
    frame[1] = (byte) (payload.length >> 8);
    frame[2] = (byte) payload.length;
    frame[3] = (byte) type;
    frame[4] = (byte) flags;
    frame[8] = (byte) stream;
    System.arraycopy(payload, 0, frame, 9, payload.length);
    return frame;
  }

  private HostileBytes() {}
}
