package io.heddle.interleavings;

import io.heddle.core.Deadline;
import io.heddle.core.RequestBodyPipe;
import io.heddle.core.ResponseBodyPipe;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.L_Result;

/** The races of the two pipes. */
public final class PipeRaces {

  private PipeRaces() {}

  private static final Deadline NONE = Deadline.none();

  private static ResponseBodyPipe responsePipe(AtomicInteger demanded, AtomicInteger cancelled) {
    return new ResponseBodyPipe(2, 3, demanded::addAndGet, cancelled::incrementAndGet);
  }

  private static ByteBuffer bytes(int... values) {
    ByteBuffer bytes = ByteBuffer.allocate(values.length);
    for (int value : values) {
      bytes.put((byte) value);
    }
    return bytes.flip();
  }

  /** Reads to the end, as text. */
  private static String readAll(ResponseBodyPipe pipe) {
    StringBuilder all = new StringBuilder();
    byte[] b = new byte[2];
    try {
      for (int n = pipe.read(b, 0, 2, NONE); n >= 0; n = pipe.read(b, 0, 2, NONE)) {
        for (int i = 0; i < n; i++) {
          all.append(b[i]);
        }
      }
      return all + " end";
    } catch (ExecutionException e) {
      return all + " failed";
    } catch (CancellationException e) {
      return all + " cancelled";
    } catch (InterruptedException | TimeoutException e) {
      return "no reason for this: " + e;
    }
  }

  private static void write(RequestBodyPipe pipe, int bytes) {
    try {
      pipe.write(new byte[bytes], 0, bytes, NONE);
    } catch (InterruptedException | TimeoutException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean drain(RequestBodyPipe pipe, AtomicInteger drained) {
    try {
      return pipe.drainTo(
          src -> {
            int n = src.remaining();
            src.position(src.limit());
            drained.addAndGet(n);
            return n;
          });
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The reader gets all bytes, in their order, and the end after them. */
  @JCStressTest
  @Outcome(id = "123 end", expect = Expect.ACCEPTABLE, desc = "All of it.")
  @State
  public static class OfferAndRead {
    private final ResponseBodyPipe pipe = responsePipe(new AtomicInteger(), new AtomicInteger());

    /** The I/O thread. */
    @Actor
    public void offer() {
      pipe.offer(bytes(1));
      pipe.offer(bytes(2, 3));
      pipe.end();
    }

    /** The caller. */
    @Actor
    public void read(L_Result r) {
      r.r1 = readAll(pipe);
    }
  }

  /** What came before a failure is read before it. */
  @JCStressTest
  @Outcome(id = "12 failed", expect = Expect.ACCEPTABLE, desc = "Bytes, then the failure.")
  @State
  public static class FailureAfterBytes {
    private final ResponseBodyPipe pipe = responsePipe(new AtomicInteger(), new AtomicInteger());

    /** The I/O thread. */
    @Actor
    public void offer() {
      pipe.offer(bytes(1, 2));
      pipe.fail(new IOException("reset"));
    }

    /** The caller. */
    @Actor
    public void read(L_Result r) {
      r.r1 = readAll(pipe);
    }
  }

  /** A cancel ends the reader, whatever was there; the canceller runs if the end was not first. */
  @JCStressTest
  @Outcome(id = " cancelled, 1", expect = Expect.ACCEPTABLE, desc = "Cancelled at once.")
  @Outcome(id = "12 cancelled, 1", expect = Expect.ACCEPTABLE, desc = "Cancelled in between.")
  @Outcome(id = "12 end, 0", expect = Expect.ACCEPTABLE, desc = "Ended first.")
  @State
  public static class CancelAndRead {
    private final AtomicInteger cancelled = new AtomicInteger();
    private final ResponseBodyPipe pipe = responsePipe(new AtomicInteger(), cancelled);

    /** The I/O thread. */
    @Actor
    public void offer() {
      pipe.offer(bytes(1, 2));
      pipe.end();
    }

    /** Another thread. */
    @Actor
    public void cancel() {
      pipe.cancel();
    }

    /** The caller. */
    @Actor
    public void read(L_Result r) {
      r.r1 = readAll(pipe);
    }

    /** At the end. */
    @Arbiter
    public void count(L_Result r) {
      r.r1 = r.r1 + ", " + cancelled.get();
    }
  }

  /** A wake-up of the reader is never lost. */
  @JCStressTest(Mode.Termination)
  @Outcome(id = "TERMINATED", expect = Expect.ACCEPTABLE, desc = "The reader got the byte.")
  @Outcome(id = "STALE", expect = Expect.FORBIDDEN, desc = "A lost wake-up.")
  @State
  public static class ReaderWakeUp {
    private final ResponseBodyPipe pipe = responsePipe(new AtomicInteger(), new AtomicInteger());

    /** The caller. */
    @Actor
    public void read() {
      readAll(pipe);
    }

    /** The I/O thread. */
    @Signal
    public void end() {
      pipe.end();
    }
  }

  /** A wake-up of the writer is never lost. */
  @JCStressTest(Mode.Termination)
  @Outcome(id = "TERMINATED", expect = Expect.ACCEPTABLE, desc = "The writer got its room.")
  @Outcome(id = "STALE", expect = Expect.FORBIDDEN, desc = "A lost wake-up.")
  @State
  public static class WriterWakeUp {
    private final AtomicInteger drained = new AtomicInteger();
    private final RequestBodyPipe pipe = new RequestBodyPipe(1, 2, () -> {}, () -> {});

    /** The caller, which finds room for one. */
    @Actor
    public void write() {
      PipeRaces.write(pipe, 2);
    }

    /** The I/O thread, which makes room for the other. */
    @Signal
    public void drain() {
      while (drained.get() == 0) {
        PipeRaces.drain(pipe, drained);
      }
    }
  }

  /** Bytes that the I/O thread did not see were signalled to it. */
  @JCStressTest
  @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "Drained; nothing to signal.")
  @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "Drained, and signalled as well.")
  @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "Not seen, so signalled.")
  @State
  public static class FlushAndDrain {
    private final AtomicInteger drained = new AtomicInteger();
    private final AtomicInteger signals = new AtomicInteger();
    private final RequestBodyPipe pipe =
        new RequestBodyPipe(10, 1, signals::incrementAndGet, () -> {});

    /** In the middle of a body: the I/O thread was called for the first byte. */
    public FlushAndDrain() {
      PipeRaces.write(pipe, 1);
      pipe.flush();
      signals.set(0);
    }

    /** The caller. */
    @Actor
    public void write() {
      PipeRaces.write(pipe, 1);
      pipe.flush();
    }

    /** The I/O thread. */
    @Actor
    public void drain() {
      PipeRaces.drain(pipe, drained);
    }

    /** At the end: of the second byte. */
    @Arbiter
    public void count(II_Result r) {
      r.r1 = drained.get() - 1;
      r.r2 = signals.get();
    }
  }

  /** As before, where the writer drains the pipe itself unless the I/O thread does. */
  @JCStressTest
  @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "Drained; nothing to signal.")
  @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "Drained, and signalled as well.")
  @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "Not seen, so signalled.")
  @State
  public static class SendAndDrain {
    private static final int LONG = 16 * 1024;
    private final AtomicInteger drained = new AtomicInteger();
    private final AtomicInteger signals = new AtomicInteger();
    private final ReentrantLock turn = new ReentrantLock();
    private final RequestBodyPipe pipe = new RequestBodyPipe(LONG, 1, this::send, true, () -> {});

    private void send() {
      if (!turn.tryLock()) {
        signals.incrementAndGet(); // asks the I/O thread
        return;
      }
      try {
        PipeRaces.drain(pipe, drained);
      } finally {
        turn.unlock();
      }
    }

    /** The caller. */
    @Actor
    public void write() {
      PipeRaces.write(pipe, LONG);
      pipe.flush();
    }

    /** The I/O thread. */
    @Actor
    public void drain() {
      turn.lock();
      try {
        PipeRaces.drain(pipe, drained);
      } finally {
        turn.unlock();
      }
    }

    /** At the end: whether all of it is drained. */
    @Arbiter
    public void count(II_Result r) {
      r.r1 = drained.get() / LONG;
      r.r2 = Math.min(1, signals.get());
    }
  }

  /** A cut body is never complete: finish and cancel, one of them. */
  @JCStressTest
  @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "Finished first: complete.")
  @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "Cancelled first: aborted.")
  @State
  public static class FinishAndCancel {
    private final AtomicInteger cancelled = new AtomicInteger();
    private final RequestBodyPipe pipe =
        new RequestBodyPipe(10, 1, () -> {}, cancelled::incrementAndGet);

    /** The caller. */
    @Actor
    public void finish() {
      try {
        pipe.finish();
      } catch (CancellationException | ExecutionException e) {
        return; // it was cut
      }
    }

    /** Another thread. */
    @Actor
    public void cancel() {
      pipe.cancel();
    }

    /** At the end. */
    @Arbiter
    public void count(II_Result r) {
      r.r1 = drain(pipe, new AtomicInteger()) ? 1 : 0;
      r.r2 = cancelled.get();
    }
  }
}
