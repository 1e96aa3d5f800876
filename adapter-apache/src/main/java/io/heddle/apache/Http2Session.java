package io.heddle.apache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpConnection;
import org.apache.hc.core5.http.HttpVersion;
import org.apache.hc.core5.http.RequestNotExecutedException;
import org.apache.hc.core5.http.impl.nio.HttpConnectionEventHandler;
import org.apache.hc.core5.http.message.BasicClassicHttpResponse;
import org.apache.hc.core5.http2.H2ConnectionException;
import org.apache.hc.core5.http2.H2Error;
import org.apache.hc.core5.http2.H2StreamResetException;
import org.apache.hc.core5.http2.config.H2Param;
import org.apache.hc.core5.http2.frame.DefaultFrameFactory;
import org.apache.hc.core5.http2.frame.FrameFactory;
import org.apache.hc.core5.http2.frame.FrameFlag;
import org.apache.hc.core5.http2.frame.FrameType;
import org.apache.hc.core5.http2.frame.RawFrame;
import org.apache.hc.core5.http2.impl.nio.H2StreamListener;
import org.apache.hc.core5.reactor.EventMask;
import org.apache.hc.core5.reactor.IOSession;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/2 on a session: as many exchanges as the server allows; to abort one is to reset its stream.
 *
 * <pre>{@code
 * OPENING ──begin────▶ BEGUN ───SETTINGS──▶ STARTED   callers may begin; SETTINGS change the limit
 *    └──────SETTINGS─▶ SETTLED ──begin──────▶ │
 *                                             └──GOAWAY──▶ LEAVING   none begins; what the server
 *                                                                    will not process fails
 * }</pre>
 *
 * <p>What an event makes the engine say is written at once, at its end: {@link GatheredOutput}.
 *
 * <p>The engine leaves six things to be done here, by watching its frames:
 *
 * <ul>
 *   <li><b>Reset a stream now.</b> Core 5.4's {@code H2Stream.abort} notes the wish, and the next
 *       frame that the server sends on this stream makes it send RST_STREAM. A server that stalls
 *       sends none. So the session hands the engine one itself, an empty DATA frame, as if it had
 *       come in just then: between two frames of the server, which is known from the bytes that
 *       were received and the frames that were made of them.
 *   <li><b>GOAWAY</b> (RFC 9113, 6.8): the engine lets the streams that the server will not process
 *       wait for ever; they fail here, as not executed.
 *   <li><b>An upload that nobody wants.</b> A stream whose response is complete stays open as long
 *       as its request is not wholly sent, and counts. If the rest will not be sent it is reset
 *       (RFC 9113, 8.1): by the exchange, when the response ends; or here, when the caller leaves
 *       later.
 *   <li><b>SETTINGS_MAX_CONCURRENT_STREAMS</b>: a request beyond it would wait in the engine, where
 *       it cannot be withdrawn and the last goes first. It waits for its lease instead; also for a
 *       stream that the server counts longer than the engine: {@link ResetProof}.
 *   <li><b>What comes late on a stream that was reset</b>: see {@link ResetStreams}.
 *   <li><b>A server that asks and does not listen.</b> Each PING and each SETTINGS has to be
 *       answered (RFC 9113, 6.5.3 and 6.7). The engine keeps the answers that the server does not
 *       read, without a bound; here the connection ends when there are too many (10.5).
 * </ul>
 */
final class Http2Session extends ReactorSession implements H2StreamListener {

  /** How long a stream that was given up may go to nobody else. */
  private static final Duration PROOF = Duration.ofSeconds(10);

  /** The engine lets the window of the connection grow from 10 MiB on. */
  private static final int LOWEST_WINDOW = 1 << 20;

  /** How many answers to PING and SETTINGS may wait until the server reads them. */
  private static final int MOST_ANSWERS = 10_000;

  /** Whether the server still says anything. */
  final PathCheck path;

  private final GatheredOutput output;
  private final ResetProof proof;
  private final ResetStreams resetStreams = new ResetStreams();

  // I/O thread only.
  private final Map<Integer, ApacheExchange> streams = new HashMap<>();
  private @Nullable ApacheExchange starting;
  private final List<ApacheExchange> unsent = new ArrayList<>();
  private long framedBytes;
  private boolean betweenHeaderFrames;
  private boolean begun;
  private boolean settled;
  private int beingReset;
  private int answers; // to PING and SETTINGS, which wait to be written
  private @Nullable RawFrame lastFrame; // of the server's

  // Written by the I/O thread.
  private volatile int limit = Integer.MAX_VALUE;

  // Any thread adds, the I/O thread takes.
  private final Queue<ApacheExchange> resets = new ConcurrentLinkedQueue<>();

  /**
   * A session.
   *
   * @param output which the engine writes to
   */
  Http2Session(ReactorConnection connection, int window, GatheredOutput output) {
    super(connection, window);
    this.output = output;
    this.path = new PathCheck(connection);
    this.proof = new ResetProof(connection, PROOF);
  }

  /**
   * What the engine makes its frames with. To a stream that the server has ended, the engine takes
   * the frame of {@link #reset} for an error of the server's, and says so to it; but it is we who
   * cancel.
   */
  FrameFactory frames() {
    return new DefaultFrameFactory() {
      @Override
      public RawFrame createResetStream(int streamId, int code) {
        resetStreams.add(streamId);
        ApacheExchange exchange = streams.get(streamId);
        if (exchange != null) {
          exchange.onReset();
        }
        return super.createResetStream(
            streamId, streamId == beingReset ? H2Error.CANCEL.getCode() : code);
      }
    };
  }

  /** The connection preface is sent. The server's SETTINGS may have come with the last of it. */
  void begin(HttpConnectionEventHandler protocol) {
    this.protocol = protocol;
    begun = true;
    if (settled) {
      connection.started(this);
    }
  }

  @Override
  void starting(ApacheExchange exchange) {
    path.requestSent();
    unsent.add(exchange);
    starting = exchange; // its stream's number comes with its headers, in onHeaderOutput
  }

  @Override
  void ended(ApacheExchange exchange) {
    streams.remove(exchange.streamId());
  }

  @Override
  void refuseRest() throws IOException {
    throw new H2StreamResetException(
        H2Error.CANCEL, "the response is complete, and the rest of the request is not sent");
  }

  @Override
  void abort(ApacheExchange exchange) {
    resets.add(exchange);
    if (!exchange.isEnded() && !exchange.isReleased()) {
      path.givenUp();
    }
    connection.wakeUp();
  }

  @Override
  int limit() {
    return limit;
  }

  @Override
  public void inputReady(IOSession session, ByteBuffer src) throws IOException {
    gather(false, () -> receive(session, src));
  }

  private void receive(IOSession session, ByteBuffer src) throws IOException {
    super.inputReady(session, src);
    if (answers > MOST_ANSWERS) {
      throw new H2ConnectionException(
          H2Error.ENHANCE_YOUR_CALM,
          "the server does not read the answers to its PING and SETTINGS frames: "
              + answers
              + " wait");
    }
    path.heard(!streams.isEmpty());
    if (reset(session, false)) {
      session.setEvent(EventMask.WRITE);
    }
  }

  /** Does something once the server does not count an exchange that was given up; any thread. */
  void afterReset(ApacheExchange exchange, Runnable then) {
    if (limit < Integer.MAX_VALUE) {
      proof.await(exchange, then);
    } else {
      then.run(); // it does not count
    }
  }

  /** The engine takes a frame before it throws: called again, it goes on with the next. */
  @Override
  void toEngine(IOSession session, ByteBuffer src) throws IOException {
    for (; ; ) {
      try {
        super.toEngine(session, src);
        return;
      } catch (H2ConnectionException e) {
        ApacheInternals.Input input = ApacheInternals.inputOf(protocol);
        if (e.getCode() != H2Error.STREAM_CLOSED.getCode()
            || lastFrame == null
            || input == null
            || !resetStreams.ignore(lastFrame, input)) {
          throw e;
        }
        if (input.window().get() < LOWEST_WINDOW) { // only what the engine takes makes it grow
          connection.goingAway();
        }
      }
    }
  }

  @Override
  public void outputReady(IOSession session) throws IOException {
    gather(
        true, // its last look is whether to close
        () -> {
          reset(session, false);
          super.outputReady(session);
          reset(session, true);
        });
  }

  /** Somebody is about to close the connection gracefully; any thread, does not wait for room. */
  void writeOutBeforeClose() {
    output.writeOutBeforeClose();
  }

  /** Requests that the event has begun, and of which not a byte was written, may go again. */
  private void gather(boolean closesAgain, GuardedSession.Event event) throws IOException {
    try {
      output.gather(closesAgain, event);
    } finally {
      if (output.hasLostAll()) {
        unsent.forEach(ApacheExchange::neverSent);
      }
      unsent.clear();
    }
  }

  /**
   * Resets the streams that were given up, as long as no frame of the server is half read.
   *
   * @param answered also those that are answered, and of which nothing but the end of the request
   *     may be missing: the engine has had its chance to send that
   * @return whether one that is answered is left
   */
  private boolean reset(IOSession session, boolean answered) throws IOException {
    boolean left = false;
    for (Iterator<ApacheExchange> it = resets.iterator(); it.hasNext() && betweenFrames(); ) {
      ApacheExchange exchange = it.next();
      if (exchange.isReleased() || exchange.isOver()) {
        it.remove();
      } else if (exchange.isEnded() && !answered) {
        left = true;
      } else if (exchange.streamId() > 0) {
        it.remove();
        exchange.cancelStream();
        beingReset = exchange.streamId();
        try {
          toEngine(
              session, ApacheInternals.emptyFrameOf(exchange.streamId())); // which then reads on
        } finally {
          beingReset = 0;
        }
      } // else its request is not sent yet: it comes here again once it is
    }
    proof.ask();
    return left;
  }

  /** If not, what is missing will come, or the connection is dead; either is an event. */
  private boolean betweenFrames() {
    return !betweenHeaderFrames
        && protocol.getEndpointDetails().getReceivedBytesCount() == framedBytes;
  }

  @Override
  public void onHeaderOutput(
      HttpConnection connection, int streamId, List<? extends Header> headers) {
    ApacheExchange exchange = starting;
    if (exchange != null) { // else these are the trailers of a request
      starting = null;
      exchange.onStream(streamId);
      streams.put(streamId, exchange);
    }
  }

  @Override
  public void onHeaderInput(
      HttpConnection connection, int streamId, List<? extends Header> headers) {
    ApacheExchange exchange = streams.get(streamId);
    if (exchange != null && !headers.isEmpty() && isStatusContinue(headers.get(0))) {
      BasicClassicHttpResponse response = new BasicClassicHttpResponse(100);
      response.setVersion(HttpVersion.HTTP_2);
      for (Header header : headers.subList(1, headers.size())) {
        response.addHeader(header);
      }
      exchange.interim(response); // the engine swallows it; the classic executor waits for it
    }
  }

  private static boolean isStatusContinue(Header first) {
    return first.getName().equals(":status") && "100".equals(first.getValue());
  }

  @Override
  public void onFrameInput(HttpConnection connection, int streamId, RawFrame frame) {
    framedBytes += ApacheInternals.FRAME_HEAD + frame.getLength();
    if (isToBeAnswered(frame) && !frame.isFlagSet(FrameFlag.ACK)) {
      answers++;
    }
    ApacheExchange held = heldBack();
    if (held != null && held.streamId() != streamId) {
      letGo();
    }
    lastFrame = frame;
    if (frame.isType(FrameType.HEADERS)
        || (frame.isType(FrameType.DATA) && frame.getLength() > 0)) {
      proof.heard(); // not by an empty frame, which `reset` makes
    }
    if (frame.isType(FrameType.HEADERS) || frame.isType(FrameType.CONTINUATION)) {
      betweenHeaderFrames = !frame.isFlagSet(FrameFlag.END_HEADERS);
    } else if (frame.isType(FrameType.SETTINGS)) {
      onSettings(frame);
    } else if (frame.isType(FrameType.GOAWAY)) {
      onGoAway(frame);
    }
  }

  private void onSettings(RawFrame frame) {
    if (frame.isFlagSet(FrameFlag.ACK)) {
      return;
    }
    ByteBuffer payload = frame.getPayload();
    if (payload != null) {
      ByteBuffer settings = payload.duplicate();
      while (settings.remaining() >= 6) {
        int name = settings.getShort();
        int value = settings.getInt();
        if (name == H2Param.MAX_CONCURRENT_STREAMS.getCode()) {
          limit = value < 0 ? Integer.MAX_VALUE : value; // unsigned
        }
      }
    }
    if (settled) {
      connection.limitChanged();
    } else if (begun) {
      connection.started(this);
    }
    settled = true;
  }

  private void onGoAway(RawFrame frame) {
    ByteBuffer payload = frame.getPayload();
    if (payload == null || payload.remaining() < 8) {
      return; // malformed: the engine ends the connection
    }
    ByteBuffer said = payload.duplicate();
    int last = said.getInt() & Integer.MAX_VALUE;
    int code = said.getInt();
    if (code != H2Error.NO_ERROR.getCode()) {
      // As the engine tells its streams; then it takes the next frame of one of them for an error
      // of the connection, which is none of those who still wait for a stream.
      breaks(new H2StreamResetException(code, "Connection terminated by the peer (" + code + ")"));
    }
    for (ApacheExchange exchange : List.copyOf(streams.values())) {
      if (exchange.streamId() > last) {
        exchange.failed(new RequestNotExecutedException());
        abort(exchange);
      }
    }
    connection.goingAway();
  }

  /** Where it is an answer, it is the engine's, on the I/O thread. */
  @Override
  public void onFrameOutput(HttpConnection connection, int streamId, RawFrame frame) {
    if (isToBeAnswered(frame) && frame.isFlagSet(FrameFlag.ACK)) {
      answers--;
    }
  }

  private static boolean isToBeAnswered(RawFrame frame) {
    return frame.isType(FrameType.PING) || frame.isType(FrameType.SETTINGS);
  }

  @Override
  public void onInputFlowControl(
      HttpConnection connection, int streamId, int delta, int actualSize) {}

  @Override
  public void onOutputFlowControl(
      HttpConnection connection, int streamId, int delta, int actualSize) {}
}
