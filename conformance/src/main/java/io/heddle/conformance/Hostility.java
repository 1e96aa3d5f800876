package io.heddle.conformance;

import static io.heddle.conformance.HostileBytes.CHUNKED;
import static io.heddle.conformance.HostileBytes.CONTINUATION;
import static io.heddle.conformance.HostileBytes.DATA;
import static io.heddle.conformance.HostileBytes.END_HEADERS;
import static io.heddle.conformance.HostileBytes.END_STREAM;
import static io.heddle.conformance.HostileBytes.FRAME;
import static io.heddle.conformance.HostileBytes.HEADERS;
import static io.heddle.conformance.HostileBytes.OK;
import static io.heddle.conformance.HostileBytes.PING;
import static io.heddle.conformance.HostileBytes.PRIORITY;
import static io.heddle.conformance.HostileBytes.PUSH_PROMISE;
import static io.heddle.conformance.HostileBytes.RST_STREAM;
import static io.heddle.conformance.HostileBytes.SETTINGS;
import static io.heddle.conformance.HostileBytes.STATUS_200;
import static io.heddle.conformance.HostileBytes.WINDOW_UPDATE;
import static io.heddle.conformance.HostileBytes.answer;
import static io.heddle.conformance.HostileBytes.bomb;
import static io.heddle.conformance.HostileBytes.concat;
import static io.heddle.conformance.HostileBytes.field;
import static io.heddle.conformance.HostileBytes.forever;
import static io.heddle.conformance.HostileBytes.frame;
import static io.heddle.conformance.HostileBytes.text;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;

/** An answer that is meant to harm its client. */
enum Hostility {
  // ---- HTTP/1.1, without an end ---------------------------------------------------------------
  ENDLESS_STATUS_LINE(
      false,
      true,
      (out, stream) -> {
        text(out, "HTTP/1.1 200 ");
        forever(out, "x".repeat(1000));
      }),
  ENDLESS_FIELD(
      false,
      true,
      (out, stream) -> {
        text(out, "HTTP/1.1 200 OK\r\nX-Fill: ");
        forever(out, "x".repeat(1000));
      }),
  ENDLESS_FIELDS(
      false,
      true,
      (out, stream) -> {
        text(out, "HTTP/1.1 200 OK\r\n");
        forever(out, "X-Fill: x\r\n");
      }),
  ENDLESS_INTERIM_ANSWERS(
      false, true, (out, stream) -> forever(out, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")),
  ENDLESS_CHUNK_EXTENSION(
      false,
      true,
      (out, stream) -> {
        text(out, CHUNKED + "1;x=");
        forever(out, "x".repeat(1000));
      }),
  ENDLESS_CHUNK_SIZE(
      false,
      true,
      (out, stream) -> {
        text(out, CHUNKED);
        forever(out, "0".repeat(1000));
      }),
  ENDLESS_TRAILERS(
      false,
      true,
      (out, stream) -> {
        text(out, CHUNKED + "5\r\nhello\r\n0\r\n");
        forever(out, "X-Fill: x\r\n");
      }),

  // ---- HTTP/2, without an end -----------------------------------------------------------------
  SETTINGS_FLOOD(true, true, (out, stream) -> forever(out, frame(SETTINGS, 0, 0))),
  PING_FLOOD(true, true, (out, stream) -> forever(out, frame(PING, 0, 0, new byte[8]))),
  RESET_FLOOD(
      true,
      true,
      (out, stream) -> forever(out, frame(RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8}))),
  PRIORITY_FLOOD(
      true,
      true,
      (out, stream) -> forever(out, frame(PRIORITY, 0, stream, new byte[] {0, 0, 0, 0, 16}))),
  FLOOD_OF_UNKNOWN_FRAMES(
      true, true, (out, stream) -> forever(out, frame(0xfa, 0, stream, new byte[100]))),
  FLOOD_OF_EMPTY_DATA(
      true,
      true,
      (out, stream) -> {
        out.write(frame(HEADERS, END_HEADERS, stream, STATUS_200));
        forever(out, frame(DATA, 0, stream));
      }),
  ENDLESS_INTERIM_HEADERS(
      true,
      true,
      (out, stream) ->
          forever(out, frame(HEADERS, END_HEADERS, stream, new byte[] {0x08, 3, '1', '0', '3'}))),
  CONTINUATION_FLOOD(
      true,
      true,
      (out, stream) -> {
        out.write(frame(HEADERS, 0, stream, STATUS_200));
        forever(out, frame(CONTINUATION, 0, stream, field("x-fill", "x".repeat(1000))));
      }),
  FLOOD_OF_EMPTY_CONTINUATIONS(
      true,
      true,
      (out, stream) -> {
        out.write(frame(HEADERS, 0, stream, STATUS_200));
        forever(out, frame(CONTINUATION, 0, stream));
      }),
  /** A field of 4,000 bytes goes into the table of the client's, and is meant a million times. */
  HPACK_BOMB(
      true,
      true,
      (out, stream) -> {
        byte[] indexed = field("x-bomb", "x".repeat(3900));
        indexed[0] = 0x40;
        out.write(frame(HEADERS, 0, stream, STATUS_200));
        out.write(frame(CONTINUATION, 0, stream, indexed));
        byte[] again = new byte[16_000];
        Arrays.fill(again, (byte) (0x80 | 62));
        forever(out, frame(CONTINUATION, 0, stream, again));
      }),
  WINDOW_OVERFLOW(
      true,
      true,
      (out, stream) -> {
        byte[] most = {0x7f, (byte) 0xff, (byte) 0xff, (byte) 0xff};
        forever(out, frame(WINDOW_UPDATE, 0, 0, most));
      }),

  // ---- answers that cannot be -----------------------------------------------------------------
  TWO_LENGTHS(
      false,
      false,
      (out, stream) -> text(out, OK + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")),
  NEGATIVE_LENGTH(false, false, (out, stream) -> text(out, OK + "Content-Length: -5\r\n\r\nhello")),
  LENGTH_AND_CHUNKS(
      false,
      false,
      (out, stream) ->
          text(
              out,
              OK
                  + "Content-Length: 50\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
                  + OK
                  + "X-Injected: yes\r\nContent-Length: 0\r\n\r\n")),
  HUGE_CHUNK(
      false,
      false,
      (out, stream) -> text(out, CHUNKED + "FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n")),
  NEGATIVE_CHUNK(false, false, (out, stream) -> text(out, CHUNKED + "-5\r\nhello\r\n0\r\n\r\n")),
  SPACE_IN_NAME(
      false, false, (out, stream) -> text(out, OK + "X Bad: x\r\nContent-Length: 0\r\n\r\n")),
  NUL_IN_VALUE(
      false, false, (out, stream) -> text(out, OK + "X-Bad: a\0b\r\nContent-Length: 0\r\n\r\n")),
  /** RFC 9112, 2.2: a CR alone ends no line. */
  SPLIT_BY_CR(
      false,
      false,
      (out, stream) -> text(out, OK + "X-Bad: a\rX-Injected: yes\r\nContent-Length: 0\r\n\r\n")),
  NO_STATUS_NUMBER(
      false, false, (out, stream) -> text(out, "HTTP/1.1 -12 OK\r\nContent-Length: 0\r\n\r\n")),
  GZIP_BOMB(
      false,
      false,
      (out, stream) -> {
        byte[] bomb = bomb(256 * 1024 * 1024);
        text(out, OK + "Content-Encoding: gzip\r\nContent-Length: " + bomb.length + "\r\n\r\n");
        out.write(bomb);
        out.flush();
      }),
  SPLIT_FIELD(
      true,
      false,
      (out, stream) -> answer(out, stream, STATUS_200, field("x-bad", "a\r\nX-Injected: yes"))),
  CAPITALS_IN_NAME(
      true, false, (out, stream) -> answer(out, stream, STATUS_200, field("X-Bad", "x"))),
  FIELD_OF_THE_CONNECTION(
      true,
      false,
      (out, stream) -> answer(out, stream, STATUS_200, field("transfer-encoding", "chunked"))),
  NO_STATUS(true, false, (out, stream) -> answer(out, stream, field("x-good", "x"))),
  /** As large as it can be in the first window. */
  SMALLER_GZIP_BOMB(
      true,
      false,
      (out, stream) -> {
        byte[] block = concat(STATUS_200, field("content-encoding", "gzip"));
        out.write(frame(HEADERS, END_HEADERS, stream, block));
        byte[] bomb = bomb(60 * 1024 * 1024);
        for (int done = 0; done < bomb.length; done += FRAME) {
          int end = Math.min(done + FRAME, bomb.length);
          int flags = end == bomb.length ? END_STREAM : 0;
          out.write(frame(DATA, flags, stream, Arrays.copyOfRange(bomb, done, end)));
        }
        out.flush();
      }),
  PUSH(
      true,
      false,
      (out, stream) -> {
        byte[] promise = {0, 0, 0, 2, (byte) 0x82, (byte) 0x86, (byte) 0x84}; // GET http /
        out.write(frame(PUSH_PROMISE, END_HEADERS, stream, promise));
        answer(out, stream, STATUS_200);
      }),
  OVERSIZED_FRAME(
      true,
      false,
      (out, stream) -> {
        out.write(frame(HEADERS, END_HEADERS, stream, STATUS_200));
        out.write(frame(DATA, 1, stream, new byte[1_000_000]));
      });

  private interface Play {
    void to(OutputStream out, int stream) throws IOException;
  }

  private final boolean http2;
  private final boolean endless;

  @SuppressWarnings("ImmutableEnumChecker") // a lambda that captures nothing
  private final Play play;

  Hostility(boolean http2, boolean endless, Play play) {
    this.http2 = http2;
    this.endless = endless;
    this.play = play;
  }

  /** Writes the answer to the one request of a connection; on HTTP/2, on this stream. */
  void play(OutputStream out, int stream) throws IOException {
    play.to(out, stream);
  }

  /** A body in chunks, on HTTP/1.1. */
  static List<Hostility> endlessChunks() {
    return List.of(ENDLESS_CHUNK_SIZE, ENDLESS_CHUNK_EXTENSION, ENDLESS_TRAILERS);
  }

  /** A small body that becomes a large one. */
  static Hostility growing(Wire wire) {
    return wire.isMultiplexed() ? SMALLER_GZIP_BOMB : GZIP_BOMB;
  }

  /** A field whose value has a line break, and behind it what would be a field. */
  static Hostility split(Wire wire) {
    return wire.isMultiplexed() ? SPLIT_FIELD : SPLIT_BY_CR;
  }

  /** All others. */
  static List<Hostility> of(Wire wire, boolean endless) {
    return Arrays.stream(values())
        .filter(each -> each.http2 == wire.isMultiplexed() && each.endless == endless)
        .filter(each -> !endlessChunks().contains(each))
        .filter(each -> each != growing(wire) && each != split(wire))
        .toList();
  }
}
