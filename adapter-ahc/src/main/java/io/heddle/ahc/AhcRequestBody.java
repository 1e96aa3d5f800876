package io.heddle.ahc;

import io.heddle.core.BodyOutput;
import io.heddle.core.Deadline;
import io.heddle.core.RequestBodyPipe;
import io.heddle.core.Signal;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.asynchttpclient.request.body.Body;
import org.asynchttpclient.request.body.generator.FeedListener;
import org.asynchttpclient.request.body.generator.FeedableBodyGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request: what a {@link WritableBody} writes, on a thread that may wait.
 *
 * <p>The engine asks for a body of its own for each {@linkplain BodyAttempt attempt} to send the
 * request: a redirect or a challenge may want it again, while the connection of the one before
 * still has something that drains it. One thread at a time writes, each for one attempt: the caller
 * for the first, or a virtual thread if it is a future's; a virtual thread for each that follows.
 *
 * <pre>{@code
 * writer                                        engine, as it wants the body once more
 * waits for the writer before it                not begun: the next attempt takes the pipe over,
 * taken                                           and the writer sees nothing of it
 * still wanted? ──no──▶ leaves, nothing read    begun: stops the attempt's pipe
 * writes, finishes                              taken, and can be read once only ──▶ fails
 * written: the next writer goes on              else starts a writer for the next attempt
 *
 * the exchange is over   its pipe is cancelled or failed; the writer leaves with its next write
 * the writer throws      so does the caller, and aborts the exchange; elsewhere the exchange fails
 * }</pre>
 */
final class AhcRequestBody implements FeedableBodyGenerator {

  private static final byte[] NOTHING = {};

  /** The exchange has ended: leaves the writer. What became of it, the exchange knows. */
  private static final class Ended extends IOException {
    private static final long serialVersionUID = 1L;

    Ended(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /** A writer's turn. It may end before its time: who gives up his wait for it reads nothing. */
  private static final class Turn {
    final Signal over = new Signal();
    @Nullable Turn before; // written before `over`, by whose turn it is

    /** Takes the turn after the last one, and waits until it has come. */
    void await(AtomicReference<@Nullable Turn> last, Deadline deadline)
        throws InterruptedException, TimeoutException {
      before = last.getAndSet(this);
      for (Turn each = before; each != null; each = each.before) {
        if (!each.over.await(deadline)) {
          throw new TimeoutException("the request body is still read for another attempt");
        }
      }
      before = null; // all of them are over
    }
  }

  private final WritableBody body;
  private final AhcExchange<?> exchange;
  private final BodyAttempt first;

  // Written by the engine, which then looks whether the exchange is over. Who ends that looks at
  // this afterwards: one at least sees the other, and cancels its pipe.
  private volatile BodyAttempt attempt;

  // Written by a writer, before it looks whether it is still wanted; the engine stops it, and then
  // looks at this: one at least sees the other.
  private volatile boolean taken;

  // Of the writer that came last. The next one takes it, and waits.
  private final AtomicReference<@Nullable Turn> last = new AtomicReference<>();

  // The engine only, one thread at a time.
  private boolean created;

  AhcRequestBody(WritableBody body, AhcExchange<?> exchange) {
    this.body = body;
    this.exchange = exchange;
    this.first = new BodyAttempt(exchange, body.length());
    this.attempt = first;
  }

  // ---- writer ---------------------------------------------------------------------------------

  /**
   * Writes the body. Returns early if the exchange ends, or the server wants no more.
   *
   * @throws IOException what its writer throws
   * @throws InterruptedException if the caller was interrupted; the flag is cleared
   * @throws TimeoutException if the deadline is over
   */
  void write(Deadline deadline) throws IOException, InterruptedException, TimeoutException {
    boolean whole = false;
    try {
      write(first.pipe(), deadline);
      whole = true;
    } finally {
      if (!whole) {
        first.pipe().cancel(); // and with it the exchange: a cut body is none
        exchange.abort(); // also if the engine has all of it, or another attempt
      }
    }
  }

  /** Writes the body on a virtual thread; what its writer throws ends the exchange. */
  void writeElsewhere() {
    writeElsewhere(first.pipe());
  }

  private void writeElsewhere(RequestBodyPipe to) {
    Thread.ofVirtual()
        .name("heddle-ahc-upload")
        .inheritInheritableThreadLocals(false)
        .start(
            () -> {
              try {
                write(to, Deadline.none());
              } catch (Throwable e) { // nobody else would hear of it
                exchange.onThrowable(e);
              }
            });
  }

  private void write(RequestBodyPipe to, Deadline deadline)
      throws IOException, InterruptedException, TimeoutException {
    Stream out = new Stream(to, deadline);
    Turn turn = new Turn();
    try {
      if (!isWanted(to, deadline)) {
        return;
      }
      turn.await(last, deadline); // one thread at a time reads the body
      taken = true; // then a second look: he who wants the body anew stops first, then looks
      if (!isWanted(to, deadline)) {
        return;
      }
      body.writer().writeTo(out);
      if (body.length() >= 0 && out.written() < body.length()) {
        throw new IOException(
            "the request body has "
                + out.written()
                + " bytes, and was told to have "
                + body.length());
      }
      to.finish();
    } catch (ExecutionException | CancellationException e) {
      return; // the exchange has ended, and says why
    } catch (IOException e) {
      switch (out.end) {
        case InterruptedException interrupted -> throw interrupted;
        case TimeoutException expired -> throw expired;
        case null -> throw e;
        default -> {
          return; // the exchange has ended, and says why
        }
      }
    } finally {
      turn.over.raise();
    }
  }

  /**
   * Whether it has no bytes, as it says. The engine comes to their end by itself, and so may the
   * exchange; but what the source does is still to be done.
   */
  boolean isEmpty() {
    return body.length() == 0;
  }

  private boolean isWanted(RequestBodyPipe to, Deadline deadline)
      throws InterruptedException, TimeoutException, ExecutionException {
    return isEmpty() || to.write(NOTHING, 0, 0, deadline);
  }

  /** What the writer writes to. To close it is not the end of the body. */
  private final class Stream extends BodyOutput {
    private final RequestBodyPipe to;
    private final Deadline deadline;
    private @Nullable Exception end;

    Stream(RequestBodyPipe to, Deadline deadline) {
      super(body.length());
      this.to = to;
      this.deadline = deadline;
    }

    @Override
    protected RequestBodyPipe pipe() {
      return to;
    }

    @Override
    protected Deadline deadline() {
      return deadline;
    }

    @Override
    protected IOException noMoreWanted() {
      return failure(new CancellationException("the server has answered, and wants no more"));
    }

    @Override
    protected IOException failure(Exception why) {
      if (end == null) { // a writer may close a stream of its own, which writes once more
        end = why;
      }
      return why instanceof TimeoutException
          ? AhcFailures.inWait("writing the request body", false, why)
          : new Ended("the request body is not wanted any more", why);
    }
  }

  // ---- engine -------------------------------------------------------------------------------

  /**
   * The engine begins to send the request, perhaps not for the first time. What has not begun to
   * leave goes with the next attempt; else another thread writes the body anew.
   */
  @Override
  public Body createBody() {
    if (created) {
      next();
    }
    created = true;
    return attempt;
  }

  private void next() {
    BodyAttempt before = attempt;
    BodyAttempt instead = before.pass();
    if (instead != null) {
      attempt = instead;
    } else {
      before.pipe().stop();
      if (taken && body.again() == WritableBody.Again.NEVER) {
        throw new UncheckedIOException(
            new IOException("the request body was read once, and cannot be sent again"));
      }
      attempt = new BodyAttempt(exchange, body.length());
      writeElsewhere(attempt.pipe());
    }
    if (exchange.isOver()) { // and he who ended it may have seen the attempt before
      attempt.pipe().cancel();
    }
  }

  @Override
  public void setListener(FeedListener listener) {
    attempt.listen(listener);
  }

  /** Nobody feeds this body but its writer. */
  @Override
  public boolean feed(ByteBuf buffer, boolean isLast) {
    return false;
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** The one that is sent now. */
  BodyAttempt attempt() {
    return attempt;
  }

  /** What the engine takes from now. */
  RequestBodyPipe pipe() {
    return attempt.pipe();
  }

  /** Whether another could be sent in its place: nothing was taken, or it can be read twice. */
  boolean isRepeatable() {
    return body.again() == WritableBody.Again.ALWAYS || !taken;
  }
}
