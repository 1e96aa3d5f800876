package io.heddle.apache;

import java.lang.StackWalker.StackFrame;
import java.lang.module.ModuleDescriptor.Version;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLException;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.MainClientExec;
import org.apache.hc.client5.http.impl.classic.MinimalHttpClient;
import org.apache.hc.core5.http.impl.nio.HttpConnectionEventHandler;
import org.apache.hc.core5.http2.frame.FrameType;
import org.apache.hc.core5.http2.hpack.HPackDecoder;
import org.apache.hc.core5.http2.impl.nio.ClientH2IOEventHandler;
import org.apache.hc.core5.http2.impl.nio.ClientH2StreamMultiplexer;
import org.apache.hc.core5.util.VersionInfo;
import org.jspecify.annotations.Nullable;

/**
 * What Heddle knows of Apache's classes beyond their documentation, each with its reason; a test
 * breaks first when Apache changes it: {@code SystemPropertiesTest}, {@code CallerSendsTest},
 * {@code ErrorOfUserCodeTest}, {@code ApacheInternalsTest}, and for the frame the rules on
 * interrupts.
 */
final class ApacheInternals {

  /**
   * {@code HttpClientBuilder.useSystemProperties()} is final and leaves a private flag, to which
   * Apache's own {@code build()} looks for TLS as well. Seen in 5.6.5.
   */
  private static final @Nullable Field SYSTEM_PROPERTIES =
      accessible(HttpClientBuilder.class, "systemProperties");

  /**
   * How often the engine of HTTP/1.1 is told that there is room for output until a request is
   * written: it takes the request from its session and writes it; then it sees that nothing is
   * left. It does both on the thread that tells it, and asks for more by {@code setEvent} alone,
   * having looked for requests after each {@code clearEvent}. A socket that does not block writes
   * what it has room for, and an interrupt of the thread that writes does not close it. Seen in
   * core 5.4, JDK 21 and 25.
   */
  static final int OUTPUTS = 2;

  /** Bytes of the head of an HTTP/2 frame (RFC 9113, 4.1). */
  static final int FRAME_HEAD = 9;

  /**
   * What the engine of HTTP/2 keeps of a connection's input. If it throws because of a stream that
   * it has forgotten, it has taken the frame, and done nothing with it: called again, it goes on
   * with the next. Seen in core 5.4.
   */
  private static final @Nullable Field MULTIPLEXER =
      accessible(ClientH2IOEventHandler.class.getSuperclass(), "streamMultiplexer");

  private static final @Nullable Field DECODER = ofMultiplexer("hPackDecoder");
  private static final @Nullable Field WINDOW = ofMultiplexer("connInputWindow");

  /** Null if the libraries are recent enough, or do not tell. */
  private static final @Nullable String TOO_OLD =
      tooOld(release("org.apache.hc.client5"), release("org.apache.hc.core5"));

  private ApacheInternals() {}

  /**
   * Fails where another dependency brings libraries that are too old: else a call would fail, by a
   * field or a method that they lack.
   *
   * @throws IllegalStateException if they are
   */
  static void requireRecent() {
    if (TOO_OLD != null) {
      throw new IllegalStateException(TOO_OLD);
    }
  }

  /** What to say of these releases; null if nothing. */
  static @Nullable String tooOld(String client, String core) {
    return isBefore(client, "5.6") || isBefore(core, "5.4")
        ? "heddle-apache needs httpclient5 5.6 or later, and httpcore5 and httpcore5-h2 5.4 or"
            + " later, and found httpclient5 "
            + client
            + " and httpcore5 "
            + core
            + ": another dependency brings them, so set their versions in your build"
        : null;
  }

  /**
   * Of what is before the first hyphen: {@code 5.6-SNAPSHOT} and {@code 5.6.0-redhat-1} will do.
   */
  private static boolean isBefore(String release, String oldest) {
    String number = release.split("-", 2)[0];
    return number.matches("\\d+(\\.\\w+)*")
        && Version.parse(number).compareTo(Version.parse(oldest)) < 0;
  }

  private static String release(String library) {
    VersionInfo version =
        VersionInfo.loadVersionInfo(library, ApacheInternals.class.getClassLoader());
    return version == null ? VersionInfo.UNAVAILABLE : version.getRelease();
  }

  /** Whether the builder is to heed system properties; false if it does not tell. */
  static boolean usesSystemProperties(HttpClientBuilder builder) {
    try {
      return SYSTEM_PROPERTIES != null && SYSTEM_PROPERTIES.getBoolean(builder);
    } catch (IllegalAccessException e) {
      return false;
    }
  }

  /**
   * Whether the connection manager's {@code close}, which runs on this thread, was called by the
   * classic chain because an {@code Error} passes it. Nothing but the caller tells: a user's own
   * {@code close(IMMEDIATE)} is the same call, and may come from within the chain too. Seen in
   * 5.6.5.
   *
   * @param manager the class that has the {@code close}
   */
  static boolean isErrorPassing(Class<?> manager) {
    return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
        .walk(
            frames ->
                frames
                    .dropWhile(frame -> frame.getDeclaringClass() != manager)
                    .dropWhile(frame -> frame.getDeclaringClass() == manager)
                    .findFirst()
                    .filter(ApacheInternals::closesOnError)
                    .isPresent());
  }

  private static boolean closesOnError(StackFrame frame) {
    Class<?> caller = frame.getDeclaringClass();
    return caller == MainClientExec.class
        || (caller == MinimalHttpClient.class && !frame.getMethodName().equals("close"));
  }

  /**
   * A frame of DATA as if the server had sent it, without bytes, and not the last of its stream.
   * The engine of HTTP/2 writes the reset of a stream that was aborted from outside only as a frame
   * of that stream comes; on a quiet one none does. Seen in core 5.4.
   */
  static ByteBuffer emptyFrameOf(int streamId) {
    return ByteBuffer.allocate(FRAME_HEAD)
        .put((byte) 0)
        .putShort((short) 0) // length 0
        .put((byte) FrameType.DATA.getValue())
        .put((byte) 0) // no flags: not the end of the stream
        .putInt(streamId)
        .flip();
  }

  /** Whether the connection ended within a record of TLS. Seen in core 5.4. */
  static boolean isEndWithinRecord(Throwable failure) {
    return failure.getClass() == SSLException.class
        && String.valueOf(failure.getMessage()).endsWith("unexpected end of stream");
  }

  /**
   * What a connection needs to know of a frame that its engine does not look at.
   *
   * @param decoder of heads, which has to see them all (RFC 7541, 2.2)
   * @param window how many bytes of bodies the server may send before it is given more
   */
  record Input(HPackDecoder decoder, AtomicInteger window) {}

  /** Of an HTTP/2 connection; null if the engine does not tell. */
  static @Nullable Input inputOf(HttpConnectionEventHandler protocol) {
    try {
      Object multiplexer = MULTIPLEXER == null ? null : MULTIPLEXER.get(protocol);
      return multiplexer == null || DECODER == null || WINDOW == null
          ? null
          : new Input(
              (HPackDecoder) DECODER.get(multiplexer), (AtomicInteger) WINDOW.get(multiplexer));
    } catch (IllegalAccessException | IllegalArgumentException | ClassCastException e) {
      return null;
    }
  }

  private static @Nullable Field ofMultiplexer(String name) {
    return accessible(ClientH2StreamMultiplexer.class.getSuperclass(), name);
  }

  private static @Nullable Field accessible(Class<?> of, String name) {
    try {
      Field field = of.getDeclaredField(name);
      field.setAccessible(true);
      return field;
    } catch (NoSuchFieldException | RuntimeException e) {
      return null;
    }
  }
}
