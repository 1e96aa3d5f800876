package io.heddle.conformance;

import io.heddle.conformance.Script.Fault;
import io.netty.handler.codec.http2.Http2Error;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What one call of a {@link Soak} sends, what its server does, what its caller does to it, and what
 * may come of that. All of it is drawn from the seed and the call's number, and from nothing else.
 */
final class SoakPlan {

  /** What becomes of the request at the server. */
  enum Meeting {
    ANSWER(70),
    /** 413, before the body. */
    EARLY(5),
    /** The answer begins before the body has come, and ends after it. */
    AROUND(3),
    /** No head, or no more of the body, ever. */
    STALL(10),
    /** Reads some of the request's body and no more, and answers nothing. */
    UNREAD(4),
    /** A byte every now and then, and no end. */
    TRICKLE(4),
    /** A body that is shorter than it was told to be. */
    SHORT(3),
    /** … or longer. */
    LONG(2),
    // The rest ends the connection, or only the stream.
    RESET(4),
    CLOSE(4),
    GARBAGE(2),
    STREAM_RESET(5),
    STREAM_REFUSED(5),
    GOAWAY_ERROR(1);

    private final int weight;

    Meeting(int weight) {
      this.weight = weight;
    }

    private boolean isOn(Wire wire, boolean rough) {
      return switch (this) {
        case GARBAGE -> !wire.isMultiplexed();
        case RESET, CLOSE -> rough || !wire.isMultiplexed();
        case GOAWAY_ERROR -> rough && wire.isMultiplexed();
        case STREAM_RESET, STREAM_REFUSED -> wire.isMultiplexed();
        default -> true;
      };
    }

    private int weightOn(Wire wire) {
      // One such ends up to a hundred calls on HTTP/2.
      return wire.isMultiplexed() && (this == RESET || this == CLOSE) ? 1 : weight;
    }
  }

  /** What the request's body comes from. */
  enum Source {
    BYTES,
    SIZED_STREAM,
    STREAM,
    WRITER
  }

  /** How the source behaves. */
  enum Manner {
    PLAIN,
    /** Waits now and then. */
    SLOW,
    /** Waits until it is interrupted, or its call is over. */
    BLOCKED,
    /** Throws in the middle. */
    TORN,
    /** Makes another call in the middle. */
    NESTING
  }

  /** What the caller, or somebody else, does to the call. */
  enum Ending {
    /** The caller is interrupted when it makes the call. */
    FLAGGED,
    INTERRUPT,
    CANCEL,
    DEADLINE,
    /** The caller closes the response before its end. */
    CLOSE
  }

  /**
   * More than fits into one TCP segment or HTTP/2 frame, or several, or the connection's buffers.
   */
  private static final int[] SIZES = {0, 1, 1000, 1000, 20_000, 60_000, 300_000};

  /** No client sends more at a time: HTTP/2's frames, unless the server allows longer ones. */
  private static final int PIECE = 16 * 1024;

  /** The field of a response that tells whose it is. */
  static final String NUMBER = "X-Call";

  /** How far apart the bodies of two calls begin. */
  private static final long STEP = 7919; // a prime

  /** How many bytes of what trickles are waited for at most, before the response is closed. */
  private static final int TRICKLED = 20;

  /** How the server resets a stream that it has begun to process: by every code but one. */
  private static final Http2Error[] CODES =
      EnumSet.complementOf(EnumSet.of(Http2Error.REFUSED_STREAM)).toArray(Http2Error[]::new);

  /** After how long, in µs, what was to end the call in its body does so wherever the call is. */
  static final int AT_LAST = 400_000;

  /** How long a call has at least, in µs, that is to come to its deadline in its body. */
  private static final int TO_BODY = 200_000;

  /** How many of a hundred calls are redirected first, if they can be. */
  private static final int REDIRECTED = 6;

  /** More than the buffers of a connection take, in bytes. */
  private static final int ENDLESS = 8_000_000;

  /** How a connection's end may be told, wherever in a call it comes. */
  static final Set<Failure> CONNECTION_ENDS =
      EnumSet.of(
          Failure.RESET_BEFORE_HEAD,
          Failure.RESET_IN_BODY,
          Failure.TRUNCATED,
          Failure.GOAWAY,
          Failure.STREAM_RESET);

  /** … while it is being opened. */
  static final Set<Failure> OPENING_ENDS = EnumSet.of(Failure.REFUSED, Failure.UNTRUSTED);

  /** How it may be told that the server has not processed a request that cannot be sent again. */
  static final Set<Failure> REFUSALS =
      EnumSet.of(
          Failure.REFUSED_STREAM,
          Failure.GOAWAY,
          Failure.STREAM_RESET,
          Failure.RESET_IN_BODY, // that of the request
          Failure.RESET_BEFORE_HEAD);

  private final SplittableRandom random;

  final long number;
  final String method;
  final Meeting meeting;
  final Set<Ending> endings = EnumSet.noneOf(Ending.class);

  /** What the server does with the request, or, if it is redirected, with that which follows. */
  private final Script answer;

  /** Whether nobody ends the call, and nothing comes: the library's own timeout may. */
  private final boolean timesOut;

  /** Whether the call is redirected first. */
  private final boolean redirected;

  /** How many bytes of a response's body arrive, if all do. */
  final int length;

  // Of the request's body, if it has one.
  final @Nullable Source source;
  final Manner manner;
  final int size;

  /** After how much of the body, of the request or of the response, what is to happen happens. */
  final int middle;

  /** After how long what ends the call does, in µs, from its begin or from the middle. */
  final int micros;

  /** Whether what ends the call comes as one of its bodies is at its middle. */
  final boolean inBody;

  /** Whether the caller makes another call between the head and the body. */
  final boolean nesting;

  /** How the call may fail, all else apart. */
  final Set<Failure> mayFail = EnumSet.noneOf(Failure.class);

  /**
   * Draws a plan.
   *
   * @param rough whether connections end on the server's side, under whatever is on them
   * @param mayNest whether there are places enough for a call within a call
   * @param impatient whether the client has a read timeout that may come
   */
  SoakPlan(long seed, long number, Wire wire, boolean rough, boolean mayNest, boolean impatient) {
    // Mixed: what lies near, be it numbers or seeds, has nothing in common.
    long first = mixed(mixed(seed) + wire.name().hashCode());
    this.random = new SplittableRandom(mixed(first + number));
    this.number = number;
    boolean post = in100(45);
    this.method = post ? "POST" : in100(5) ? "HEAD" : "GET";
    this.source = post ? one(Source.values()) : null;
    int drawn = post ? one(SIZES) : 0;
    this.length = method.equals("HEAD") ? 0 : one(SIZES);
    this.meeting = meeting(wire, rough, drawn);
    this.size = meeting == Meeting.UNREAD ? ENDLESS : drawn;
    drawEndings();
    this.timesOut = impatient && mayTimeOut() && in100(50);
    if (timesOut) {
      endings.clear();
    }
    this.redirected = mayBeRedirected() && in100(REDIRECTED);
    boolean undisturbed = meeting == Meeting.ANSWER && endings.isEmpty() && !redirected;
    this.manner = manner(undisturbed && mayNest);
    this.nesting = undisturbed && mayNest && in100(5);
    boolean trickles = meeting == Meeting.TRICKLE;
    int half = random.nextInt(1 + (trickles ? TRICKLED : Math.max(size, length)));
    this.inBody = in100(50);
    int time = random.nextInt(in100(50) ? 3000 : in100(80) ? 25_000 : 400_000);
    this.micros = !inBody ? time : endings.contains(Ending.DEADLINE) ? TO_BODY + time : time % 3000;
    this.answer = drawAnswer(wire.isMultiplexed(), rough);
    long last = answer.faultAfter();
    this.middle = last < 0 ? half : (int) Math.min(half, last);
    drawFailures(wire, impatient);
  }

  /** A call within another: a small one, to which nothing happens. */
  private SoakPlan(SoakPlan outer) {
    this.random = outer.random;
    this.number = -outer.number;
    this.method = "GET";
    this.meeting = Meeting.ANSWER;
    this.answer = answer(200).body(1000);
    this.timesOut = false;
    this.redirected = false;
    this.length = 1000;
    this.source = null;
    this.manner = Manner.PLAIN;
    this.size = 0;
    this.middle = 0;
    this.micros = 0;
    this.inBody = false;
    this.nesting = false;
  }

  /** A number that tells nothing of that which it comes from. */
  static long mixed(long number) {
    return new SplittableRandom(number).nextLong();
  }

  SoakPlan nested() {
    return new SoakPlan(this);
  }

  private Meeting meeting(Wire wire, boolean rough, int size) {
    List<Meeting> all = new ArrayList<>();
    for (Meeting each : Meeting.values()) {
      if (each.isOn(wire, rough)) {
        for (int i = 0; i < each.weightOn(wire); i++) {
          all.add(each);
        }
      }
    }
    Meeting drawn = all.get(random.nextInt(all.size()));
    boolean fits =
        switch (drawn) {
          case EARLY, UNREAD -> source != null;
          // Who writes more than fits into a pipe waits half a second after an answer, and no
          // longer.
          case AROUND -> source != null && size <= 60_000 && length > 1;
          case SHORT, GARBAGE, TRICKLE -> !method.equals("HEAD");
          // A second response that comes later than the first would be another call's misfortune.
          case LONG -> !method.equals("HEAD") && (wire.isMultiplexed() || length <= 1000);
          default -> true;
        };
    return fits ? drawn : Meeting.ANSWER;
  }

  private void drawEndings() {
    if (isEndless() || in100(20)) {
      endings.add(one(Ending.values()));
      if (in100(15)) {
        endings.add(one(Ending.values()));
      }
    }
    if (isEndless() && !endings.contains(Ending.FLAGGED)) {
      if (meeting != Meeting.TRICKLE) { // the caller of a head that never comes closes nothing
        endings.remove(Ending.CLOSE);
      }
      if (endings.isEmpty()) {
        endings.add(Ending.INTERRUPT);
      }
    }
  }

  /** Where nothing comes any more, and the server has the whole of the request. */
  private boolean mayTimeOut() {
    return meeting == Meeting.STALL && !endings.contains(Ending.FLAGGED);
  }

  /** What can be sent again, and is not that long. */
  private boolean mayBeRedirected() {
    return meeting != Meeting.UNREAD && (method.equals("GET") || source == Source.BYTES);
  }

  private Manner manner(boolean mayNest) {
    if (source == null || source == Source.BYTES) {
      return Manner.PLAIN;
    }
    if (in100(12)) {
      return endings.equals(EnumSet.of(Ending.INTERRUPT)) ? Manner.BLOCKED : Manner.SLOW;
    }
    if (isAnsweredAfterBody() && size > 0 && in100(10)) {
      return Manner.TORN;
    }
    return mayNest && in100(8) ? Manner.NESTING : Manner.PLAIN;
  }

  /** Whether no answer comes before the whole body, if one comes. */
  private boolean isAnsweredAfterBody() {
    return switch (meeting) {
      case EARLY, AROUND, UNREAD -> false;
      default -> true;
    };
  }

  /** What the server does with the first request. */
  Script script(@Nullable URI target) {
    if (target == null) {
      return answer;
    }
    return answer(source == null ? 302 : 307).header("Location", target.toString());
  }

  /** What it does with the second, if the first is redirected. */
  @Nullable Script target() {
    return redirected ? answer : null;
  }

  private Script drawAnswer(boolean http2, boolean rough) {
    Script ok = answer(200).body(length);
    return switch (meeting) {
      case ANSWER -> varied(ok, http2, rough);
      case EARLY -> early(answer(413).body(length));
      case AROUND -> answer(413).body(length).around();
      case STALL -> ok.fault(Fault.STALL, inResponse());
      case UNREAD -> ok.take(one(SIZES)).fault(Fault.STALL);
      case TRICKLE -> answer(200).body(Integer.MAX_VALUE).drip(1, Duration.ofMillis(2));
      case SHORT -> http2 ? ok.length(length + 1L) : ok.length(length + 1L).close();
      case LONG -> http2 ? answer(200).length(length).body(length + 1L) : ok.surplus();
      case RESET -> cut(ok, Fault.RESET);
      case CLOSE -> cut(ok, Fault.CLOSE);
      case GARBAGE -> inUpload(ok.fault(Fault.GARBAGE));
      case STREAM_RESET -> cut(ok, Fault.STREAM_RESET).code(one(CODES));
      case STREAM_REFUSED -> inUpload(ok.fault(Fault.STREAM_REFUSED)).times(1 + random.nextInt(3));
      case GOAWAY_ERROR -> cut(ok, Fault.GOAWAY_ERROR).once();
    };
  }

  /** In place of the head, or in the body. */
  private long inResponse() {
    return length == 0 || in100(50) ? -1 : random.nextInt(length);
  }

  /** In either body, or between them. */
  private Script cut(Script ok, Fault fault) {
    Script framed = in100(30) ? ok.chunked() : ok;
    return isLong() && in100(50)
        ? framed.fault(fault).during(random.nextInt(size))
        : framed.fault(fault, inResponse());
  }

  private Script early(Script refusal) {
    return in100(30) && manner != Manner.SLOW ? refusal.early().close() : refusal.early();
  }

  private Script inUpload(Script faulty) {
    return isLong() && in100(50) ? faulty.during(random.nextInt(size)) : faulty;
  }

  /** Whether the request's body comes in more pieces than one. */
  private boolean isLong() {
    return size > PIECE;
  }

  /** An answer to this call and to no other: its body is the call's own, and so is its head. */
  private Script answer(int status) {
    return Script.answer(status).from(from()).header(NUMBER, Long.toString(number));
  }

  private Script varied(Script ok, boolean http2, boolean rough) {
    Script script = in100(40) ? ok.delay(Duration.ofMillis(1 + random.nextInt(15))) : ok;
    return switch (random.nextInt(20)) {
      case 0, 1, 2, 3 -> script.chunked();
      case 4 -> script.trailers();
      case 5, 6 -> script.gzip();
      case 7 -> script.drip(1 + length / 10, Duration.ofMillis(1));
      case 8 -> http2 ? script : script.close();
      case 9 -> http2 || rough ? script : script.untilClose(); // or any end would be the body's
      default -> script;
    };
  }

  private void drawFailures(Wire wire, boolean impatient) {
    boolean sentOnce = source != null && source != Source.BYTES;
    switch (meeting) {
      case SHORT, LONG -> mayFail.addAll(FramingRules.UNSOUND);
      case RESET, CLOSE, GOAWAY_ERROR -> mayFail.addAll(CONNECTION_ENDS);
      case GARBAGE -> {
        mayFail.add(Failure.GARBAGE);
        if (answer.faultDuring() < size) { // who still writes may find the end before what was said
          mayFail.addAll(CONNECTION_ENDS);
        }
      }
      case STREAM_RESET -> mayFail.add(Failure.STREAM_RESET);
      default -> {
        // The others are answered, or never.
      }
    }
    boolean silent = meeting == Meeting.STALL || meeting == Meeting.UNREAD;
    if (impatient && (silent || manner == Manner.BLOCKED)) {
      mayFail.add(Failure.READ_TIMEOUT);
    }
    // By GOAWAY, which comes to any connection; and what has ended does not go again.
    if (wire.isMultiplexed() && (sentOnce || !endings.isEmpty())) {
      mayFail.addAll(REFUSALS);
    }
    for (Ending each : endings) {
      switch (each) {
        case FLAGGED, INTERRUPT -> mayFail.add(Failure.INTERRUPTED);
        case CANCEL -> mayFail.add(Failure.CANCELLED);
        case DEADLINE -> mayFail.add(Failure.DEADLINE);
        case CLOSE -> {
          // That is no failure.
        }
      }
    }
  }

  /** Where in {@link Contents} the bodies of request and response begin: of no other call. */
  int from() {
    return Math.floorMod(number * STEP, Contents.PERIOD);
  }

  /** The status of the response, if one arrives. */
  int status() {
    return meeting == Meeting.EARLY || meeting == Meeting.AROUND ? 413 : 200;
  }

  /** Whether the call can come to a good end. */
  boolean canSucceed() {
    return !endings.contains(Ending.FLAGGED)
        && manner != Manner.TORN
        && switch (meeting) {
          case STALL, UNREAD, TRICKLE, SHORT, GARBAGE, STREAM_RESET -> false;
          case LONG -> answer.hasSurplus(); // which is not of the response
          default -> true;
        };
  }

  /** Whether the server does nothing to the call that a library could tell as a refusal. */
  boolean isMild() {
    return manner != Manner.TORN
        && switch (meeting) {
          case ANSWER, EARLY, AROUND -> true;
          default -> isEndless();
        };
  }

  /** Whether the server never comes to an end with it. */
  boolean isEndless() {
    return meeting == Meeting.STALL || meeting == Meeting.UNREAD || meeting == Meeting.TRICKLE;
  }

  /** Whether the response declares that it is empty, and is not, and is asked for. */
  boolean isLongerThanNothing() {
    return meeting == Meeting.LONG && length == 0 && !endings.contains(Ending.FLAGGED);
  }

  /** Whether this is a refusal, and nothing else that the call may end in. */
  boolean isRefusedBy(Predicate<Failure> told) {
    return mayFail.stream().filter(told).allMatch(REFUSALS::contains)
        && REFUSALS.stream().anyMatch(told);
  }

  /** Whether nothing at all happens to the call. */
  boolean isUndisturbed() {
    return meeting == Meeting.ANSWER && endings.isEmpty() && manner != Manner.TORN && !redirected;
  }

  /**
   * Whether the server's own doing has the call sent once more, perhaps on another connection; some
   * libraries do that with a GET whose stream was reset.
   */
  boolean mayGoAgain() {
    return switch (meeting) {
      case RESET, CLOSE, GARBAGE, STREAM_RESET, STREAM_REFUSED -> true;
      default -> false;
    };
  }

  /** Whether the server takes the whole body before the call succeeds. */
  boolean isBodyTaken() {
    return meeting != Meeting.EARLY;
  }

  private boolean in100(int times) {
    return random.nextInt(100) < times;
  }

  private int one(int[] all) {
    return all[random.nextInt(all.length)];
  }

  private <T> T one(T[] all) {
    return all[random.nextInt(all.length)];
  }

  @Override
  public String toString() {
    return "call "
        + number
        + ": "
        + method
        + (source == null ? "" : " of " + size + " bytes, " + source + " " + manner)
        + ", "
        + meeting
        + " "
        + answer
        + (redirected ? ", redirected" : "")
        + (timesOut ? ", times out" : "")
        + (endings.isEmpty() ? "" : ", " + endings + when())
        + (nesting ? ", nesting" : "");
  }

  private String when() {
    return " at byte " + middle + (inBody ? " and " : " or ") + micros + " µs";
  }
}
