package io.heddle.conformance;

import io.netty.handler.codec.http2.Http2Error;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the server does with one request. It travels in the query of the request's own URI, so that
 * a server in another JVM plays it too. Immutable: each method returns a script that does one thing
 * more.
 *
 * <p>Unless told otherwise, the server reads the whole request and then answers, with a body of
 * known length.
 */
public final class Script {

  /** What the server does in place of what it should. */
  public enum Fault {
    /** Nothing, until {@link Seen#release()}. */
    STALL,
    /** Closes the connection in good order. */
    CLOSE,
    /** Resets the connection. */
    RESET,
    /** HTTP/1.1: sends a line that is no status line, and closes. */
    GARBAGE,
    /** HTTP/1.1: sends header fields without end. */
    ENDLESS_HEAD,
    /** HTTP/2: resets the stream, with INTERNAL_ERROR unless another {@link #code} is told. */
    STREAM_RESET,
    /** HTTP/2: resets the stream with REFUSED_STREAM, which says that nothing was processed. */
    STREAM_REFUSED,
    /** HTTP/2: a graceful GOAWAY; this stream and later ones are refused, earlier ones go on. */
    GOAWAY,
    /** HTTP/2: GOAWAY with INTERNAL_ERROR, then closes the connection. */
    GOAWAY_ERROR
  }

  /** What the server does about {@code Expect: 100-continue}. */
  public enum Expect {
    ACCEPT,
    /** Answers with the script's status, and takes no body. */
    REFUSE,
    IGNORE
  }

  private final Map<String, String> words;

  private Script(Map<String, String> words) {
    this.words = words;
  }

  /** An answer with status 200 and no body. */
  public static Script ok() {
    return answer(200);
  }

  /** An answer with this status and no body. */
  public static Script answer(int status) {
    return new Script(Map.of()).with("status", status);
  }

  static Script of(URI uri) {
    Map<String, String> words = new LinkedHashMap<>();
    String query = uri.getRawQuery();
    for (String each : query == null ? new String[0] : query.split("&", -1)) {
      int equals = each.indexOf('=');
      words.put(decode(each.substring(0, equals)), decode(each.substring(equals + 1)));
    }
    return new Script(words);
  }

  String query() {
    return words.entrySet().stream()
        .map(word -> encode(word.getKey()) + "=" + encode(word.getValue()))
        .collect(Collectors.joining("&"));
  }

  // ---- the response ---------------------------------------------------------------------------

  /** A body of so many bytes of {@link Contents}. */
  public Script body(long bytes) {
    return with("body", bytes);
  }

  /** The bodies of request and response are the {@link Contents} from this position on. */
  Script from(int position) {
    return with("from", position);
  }

  /** Tells this length of the body, whatever the body is. */
  public Script length(long told) {
    return with("length", told);
  }

  /** No body, whatever length is told: on HTTP/2 the head ends the stream. */
  public Script bodiless() {
    return with("bodiless", true);
  }

  /**
   * HTTP/1.1: right behind the response comes another that nobody has asked for, with the body
   * {@value ServerExchange#SURPLUS}.
   */
  public Script surplus() {
    return with("surplus", true);
  }

  /** The body in pieces of so many bytes, one at each such time. */
  public Script drip(int bytes, Duration every) {
    return with("piece", bytes).with("every", every.toMillis());
  }

  /** The body without a length: in chunks on HTTP/1.1. */
  public Script chunked() {
    return with("framing", "chunked");
  }

  /** HTTP/1.1: the body without a length, ended by the connection's end. */
  public Script untilClose() {
    return with("framing", "close");
  }

  /** The body compressed. */
  public Script gzip() {
    return with("gzip", true);
  }

  /** A trailer field {@code x-checksum}, the body's checksum in decimal. */
  public Script trailers() {
    return chunked().with("trailers", true);
  }

  /** A header field. */
  public Script header(String name, String value) {
    return with("header." + name, value);
  }

  /** A {@code Location} that is the request's own. */
  public Script toItself() {
    return with("itself", true);
  }

  /** Waits before the head of the response. */
  public Script delay(Duration delay) {
    return with("delay", delay.toMillis());
  }

  /** Answers 401 unless the request has these credentials, of the scheme Basic. */
  public Script requires(String user, String password) {
    return with("credentials", user + ":" + password);
  }

  /** Answers 421 on a connection whose first request was for another host (RFC 9110, 15.5.20). */
  public Script ofOneHost() {
    return with("one-host", true);
  }

  /** Closes the connection after the response; with {@link #early()}, a moment after it. */
  public Script close() {
    return with("close", true);
  }

  // ---- the request ----------------------------------------------------------------------------

  /** Reads only so many bytes of the request's body, then stops. */
  public Script take(long bytes) {
    return with("take", bytes);
  }

  /** Answers as soon as the head of the request is there; what comes of the body is dropped. */
  public Script early() {
    return with("early", true);
  }

  /** As {@link #early()}; but what comes of the body is read, and the answer ends after it. */
  public Script around() {
    return early().with("around", true);
  }

  public Script expect(Expect expect) {
    return with("expect", expect);
  }

  /** Waits so long before the 100 that the client asks for. */
  public Script continueAfter(Duration delay) {
    return with("continue", delay.toMillis());
  }

  // ---- faults ---------------------------------------------------------------------------------

  /** A fault in place of the head of the response. */
  public Script fault(Fault fault) {
    return fault(fault, -1);
  }

  /** The fault does not wait for the request's end, but for so many bytes of its body. */
  Script during(long bytes) {
    return with("during", bytes);
  }

  /** A fault once so many bytes of the response's body are sent. */
  public Script fault(Fault fault, long after) {
    return with("fault", fault).with("after", after);
  }

  /** HTTP/2: the error code of {@link Fault#STREAM_RESET}. */
  Script code(Http2Error code) {
    return with("code", code);
  }

  /** The fault happens to the first request for the URI, and not if that is sent again. */
  public Script once() {
    return times(1);
  }

  /** The fault happens to the first so many requests for the URI, and not to later ones. */
  public Script times(int times) {
    return with("times", times);
  }

  // ---- what the server reads ------------------------------------------------------------------

  int status() {
    return (int) number("status", 200);
  }

  long bodyLength() {
    return number("body", 0);
  }

  int from() {
    return (int) number("from", 0);
  }

  /** What the response tells; by default what is true. */
  long toldLength(long bodyLength) {
    return number("length", bodyLength);
  }

  boolean isBodiless() {
    return words.containsKey("bodiless");
  }

  boolean hasSurplus() {
    return words.containsKey("surplus");
  }

  int piece() {
    return (int) number("piece", Contents.PIECE);
  }

  long every() {
    return number("every", 0);
  }

  boolean isChunked() {
    return "chunked".equals(words.get("framing"));
  }

  boolean isUntilClose() {
    return "close".equals(words.get("framing"));
  }

  boolean isGzip() {
    return words.containsKey("gzip");
  }

  boolean hasTrailers() {
    return words.containsKey("trailers");
  }

  Map<String, String> headers() {
    return words.entrySet().stream()
        .filter(word -> word.getKey().startsWith("header."))
        .collect(
            Collectors.toMap(
                word -> word.getKey().substring("header.".length()), Map.Entry::getValue));
  }

  boolean isToItself() {
    return words.containsKey("itself");
  }

  long delayMillis() {
    return number("delay", 0);
  }

  @Nullable String credentials() {
    return words.get("credentials");
  }

  boolean isOfOneHost() {
    return words.containsKey("one-host");
  }

  boolean isClose() {
    return words.containsKey("close");
  }

  long takeLimit() {
    return number("take", Long.MAX_VALUE);
  }

  boolean isEarly() {
    return words.containsKey("early");
  }

  boolean isAround() {
    return words.containsKey("around");
  }

  Expect expectation() {
    String expect = words.get("expect");
    return expect == null ? Expect.ACCEPT : Expect.valueOf(expect);
  }

  long continueMillis(long otherwise) {
    return number("continue", otherwise);
  }

  /** Null if there is none. */
  @Nullable Fault fault() {
    String fault = words.get("fault");
    return fault == null ? null : Fault.valueOf(fault);
  }

  /** How many bytes of the request's body the fault waits for; its end, if there are fewer. */
  long faultDuring() {
    return number("during", Long.MAX_VALUE);
  }

  /** −1 if the fault is in place of the head. */
  long faultAfter() {
    return number("after", -1);
  }

  Http2Error code() {
    return Http2Error.valueOf(words.getOrDefault("code", Http2Error.INTERNAL_ERROR.name()));
  }

  /** How many requests for the URI meet the fault. */
  long times() {
    return number("times", Long.MAX_VALUE);
  }

  private long number(String word, long otherwise) {
    String value = words.get(word);
    return value == null ? otherwise : Long.parseLong(value);
  }

  private Script with(String word, Object value) {
    Map<String, String> more = new LinkedHashMap<>(words);
    more.put(word, value.toString());
    return new Script(more);
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String decode(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return "Script" + words;
  }
}
