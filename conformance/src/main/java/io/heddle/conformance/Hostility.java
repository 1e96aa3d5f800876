package io.heddle.conformance;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/** An answer that is meant to harm its client. */
enum Hostility {
  // ---- HTTP/1.1, without an end ---------------------------------------------------------------
  ENDLESS_STATUS_LINE(false, true) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      text(out, "HTTP/1.1 200 ");
      forever(out, "x".repeat(1000));
    }
  },
  ENDLESS_FIELD(false, true) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      text(out, "HTTP/1.1 200 OK\r\nX-Fill: ");
      forever(out, "x".repeat(1000));
    }
  },
  ENDLESS_FIELDS(false, true) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      text(out, "HTTP/1.1 200 OK\r\n");
      forever(out, "X-Fill: x\r\n");
    }
  },
  ENDLESS_INTERIM_ANSWERS(false, true) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      forever(out, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n");
    }
  },
  ENDLESS_CHUNK_EXTENSION(false, true) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      text(out, CHUNKED + "1;x=");
      forever(out, "x".repeat(1000));
    }
  },
  ENDLESS_CHUNK_SIZE(false, true) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      text(out, CHUNKED);
      forever(out, "0".repeat(1000));
    }
  },
  ENDLESS_TRAILERS(false, true) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      text(out, CHUNKED + "5\r\nhello\r\n0\r\n");
      forever(out, "X-Fill: x\r\n");
    }
  },

  // ---- HTTP/2, without an end -----------------------------------------------------------------
  SETTINGS_FLOOD(true, true) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      forever(out, frame(SETTINGS, 0, 0));
    }
  },
  PING_FLOOD(true, true) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      forever(out, frame(PING, 0, 0, new byte[8]));
    }
  },
  RESET_FLOOD(true, true) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      forever(out, frame(RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8}));
    }
  },
  PRIORITY_FLOOD(true, true) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      forever(out, frame(PRIORITY, 0, stream, new byte[] {0, 0, 0, 0, 16}));
    }
  },
  FLOOD_OF_UNKNOWN_FRAMES(true, true) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      forever(out, frame(0xfa, 0, stream, new byte[100]));
    }
  },
  FLOOD_OF_EMPTY_DATA(true, true) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      out.write(frame(HEADERS, END_HEADERS, stream, STATUS_200));
      forever(out, frame(DATA, 0, stream));
    }
  },
  ENDLESS_INTERIM_HEADERS(true, true) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      forever(out, frame(HEADERS, END_HEADERS, stream, new byte[] {0x08, 3, '1', '0', '3'}));
    }
  },
  CONTINUATION_FLOOD(true, true) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      out.write(frame(HEADERS, 0, stream, STATUS_200));
      forever(out, frame(CONTINUATION, 0, stream, field("x-fill", "x".repeat(1000))));
    }
  },
  FLOOD_OF_EMPTY_CONTINUATIONS(true, true) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      out.write(frame(HEADERS, 0, stream, STATUS_200));
      forever(out, frame(CONTINUATION, 0, stream));
    }
  },
  /** A field of 4,000 bytes goes into the table of the client's, and is meant a million times. */
  HPACK_BOMB(true, true) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      byte[] indexed = field("x-bomb", "x".repeat(3900));
      indexed[0] = 0x40;
      out.write(frame(HEADERS, 0, stream, STATUS_200));
      out.write(frame(CONTINUATION, 0, stream, indexed));
      byte[] again = new byte[16_000];
      Arrays.fill(again, (byte) (0x80 | 62));
      forever(out, frame(CONTINUATION, 0, stream, again));
    }
  },
  WINDOW_OVERFLOW(true, true) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      byte[] most = {0x7f, (byte) 0xff, (byte) 0xff, (byte) 0xff};
      forever(out, frame(WINDOW_UPDATE, 0, 0, most));
    }
  },

  // ---- answers that cannot be -----------------------------------------------------------------
  TWO_LENGTHS(false, false) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      text(out, OK + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!");
    }
  },
  NEGATIVE_LENGTH(false, false) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      text(out, OK + "Content-Length: -5\r\n\r\nhello");
    }
  },
  LENGTH_AND_CHUNKS(false, false) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      text(
          out,
          OK
              + "Content-Length: 50\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
              + OK
              + "X-Injected: yes\r\nContent-Length: 0\r\n\r\n");
    }
  },
  HUGE_CHUNK(false, false) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      text(out, CHUNKED + "FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n");
    }
  },
  NEGATIVE_CHUNK(false, false) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      text(out, CHUNKED + "-5\r\nhello\r\n0\r\n\r\n");
    }
  },
  SPACE_IN_NAME(false, false) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      text(out, OK + "X Bad: x\r\nContent-Length: 0\r\n\r\n");
    }
  },
  NUL_IN_VALUE(false, false) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      text(out, OK + "X-Bad: a\0b\r\nContent-Length: 0\r\n\r\n");
    }
  },
  /** RFC 9112, 2.2: a CR alone ends no line. */
  SPLIT_BY_CR(false, false) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      text(out, OK + "X-Bad: a\rX-Injected: yes\r\nContent-Length: 0\r\n\r\n");
    }
  },
  NO_STATUS_NUMBER(false, false) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      text(out, "HTTP/1.1 -12 OK\r\nContent-Length: 0\r\n\r\n");
    }
  },
  GZIP_BOMB(false, false) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      byte[] bomb = bomb(256 * 1024 * 1024);
      text(out, OK + "Content-Encoding: gzip\r\nContent-Length: " + bomb.length + "\r\n\r\n");
      out.write(bomb);
      out.flush();
    }
  },
  SPLIT_FIELD(true, false) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      answer(out, stream, STATUS_200, field("x-bad", "a\r\nX-Injected: yes"));
    }
  },
  CAPITALS_IN_NAME(true, false) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      answer(out, stream, STATUS_200, field("X-Bad", "x"));
    }
  },
  FIELD_OF_THE_CONNECTION(true, false) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      answer(out, stream, STATUS_200, field("transfer-encoding", "chunked"));
    }
  },
  NO_STATUS(true, false) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      answer(out, stream, field("x-good", "x"));
    }
  },
  /** As large as it can be in the first window. */
  SMALLER_GZIP_BOMB(true, false) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      byte[] block = concat(STATUS_200, field("content-encoding", "gzip"));
      out.write(frame(HEADERS, END_HEADERS, stream, block));
      byte[] bomb = bomb(60 * 1024 * 1024);
      for (int done = 0; done < bomb.length; done += FRAME) {
        int end = Math.min(done + FRAME, bomb.length);
        int flags = end == bomb.length ? END_STREAM : 0;
        out.write(frame(DATA, flags, stream, Arrays.copyOfRange(bomb, done, end)));
      }
      out.flush();
    }
  },
  PUSH(true, false) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      byte[] promise = {0, 0, 0, 2, (byte) 0x82, (byte) 0x86, (byte) 0x84}; // GET http /
      out.write(frame(PUSH_PROMISE, END_HEADERS, stream, promise));
      answer(out, stream, STATUS_200);
    }
  },
  OVERSIZED_FRAME(true, false) {
    @Override
    void play(OutputStream out, int stream) throws IOException {
      out.write(frame(HEADERS, END_HEADERS, stream, STATUS_200));
      out.write(frame(DATA, 1, stream, new byte[1_000_000]));
    }
  };

  /** More than a client can be ready to take. */
  private static final long ENOUGH = 1024L * 1024 * 1024;

  private static final String OK = "HTTP/1.1 200 OK\r\n";
  private static final String CHUNKED = OK + "Transfer-Encoding: chunked\r\n\r\n";

  // RFC 9113, 6.
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int PRIORITY = 2;
  private static final int RST_STREAM = 3;
  static final int SETTINGS = 4;
  private static final int PUSH_PROMISE = 5;
  private static final int PING = 6;
  private static final int WINDOW_UPDATE = 8;
  private static final int CONTINUATION = 9;
  private static final int FRAME = 16 * 1024;
  private static final int END_HEADERS = 4;
  private static final int END_STREAM = 1;

  /** {@code :status: 200}, by RFC 7541, A. */
  private static final byte[] STATUS_200 = {(byte) 0x88};

  private final boolean http2;
  private final boolean endless;

  Hostility(boolean http2, boolean endless) {
    this.http2 = http2;
    this.endless = endless;
  }

  /** Writes the answer to the one request of a connection; on HTTP/2, on this stream. */
  abstract void play(OutputStream out, int stream) throws IOException;

  /** A body in chunks, on HTTP/1.1. */
  static List<Hostility> endlessChunks() {
    return List.of(ENDLESS_CHUNK_SIZE, ENDLESS_CHUNK_EXTENSION, ENDLESS_TRAILERS);
  }

  /** All others. */
  static List<Hostility> of(Wire wire, boolean endless) {
    return Arrays.stream(values())
        .filter(each -> each.http2 == wire.isMultiplexed() && each.endless == endless)
        .filter(each -> !endlessChunks().contains(each))
        .toList();
  }

  /** So much of nothing, in a thousandth of that. */
  private static byte[] bomb(long bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      byte[] nothing = new byte[64 * 1024];
      for (long done = 0; done < bytes; done += nothing.length) {
        gzip.write(nothing);
      }
    }
    return out.toByteArray();
  }

  // ---- parts ----------------------------------------------------------------------------------

  private static void text(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  private static void forever(OutputStream out, String text) throws IOException {
    forever(out, text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Until the client leaves. */
  private static void forever(OutputStream out, byte[] piece) throws IOException {
    int times = Math.max(1, 16 * 1024 / piece.length);
    byte[] pieces = new byte[times * piece.length];
    for (int i = 0; i < times; i++) {
      System.arraycopy(piece, 0, pieces, i * piece.length, piece.length);
    }
    for (long sent = 0; sent < ENOUGH; sent += pieces.length) {
      out.write(pieces);
    }
    out.flush();
  }

  private static void answer(OutputStream out, int stream, byte[]... block) throws IOException {
    out.write(frame(HEADERS, END_HEADERS | END_STREAM, stream, concat(block)));
    out.flush();
  }

  private static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] each : parts) {
      all.writeBytes(each);
    }
    return all.toByteArray();
  }

  /** A field of HPACK that goes into no table; its name has less than 127 bytes. */
  private static byte[] field(String name, String value) {
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
}
