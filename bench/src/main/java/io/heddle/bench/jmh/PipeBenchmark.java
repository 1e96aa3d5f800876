package io.heddle.bench.jmh;

import io.heddle.core.Deadline;
import io.heddle.core.RequestBodyPipe;
import io.heddle.core.ResponseBodyPipe;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A body of 4 MiB between a virtual thread and an I/O thread, in pieces of 8 KiB, with at most 64
 * KiB on the way. The baselines are {@link PipedInputStream} and a {@link BlockingQueue} of arrays.
 *
 * <pre>{@code
 * bench/run jmh PipeBenchmark -t 1 -prof gc
 * }</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(value = 2, jvmArgsAppend = "-Djmh.executor=VIRTUAL")
public class PipeBenchmark {

  private static final int BODY = 4 * 1024 * 1024;
  private static final int PIECE = 8 * 1024;
  private static final int ON_THE_WAY = 64 * 1024;
  private static final byte[] END = {};

  private final WorkQueue queue = new WorkQueue();
  private final byte[] piece = new byte[PIECE];

  /** Starts the I/O thread. */
  @Setup
  public void start() {
    queue.start();
  }

  /** Ends the I/O thread. */
  @TearDown
  public void stop() {
    queue.stop();
  }

  /** Ours, from the I/O thread to the caller. */
  @Benchmark
  public long responseBodyPipe() throws Exception {
    Semaphore wanted = new Semaphore(ON_THE_WAY);
    ResponseBodyPipe pipe = new ResponseBodyPipe(ON_THE_WAY, BODY, wanted::release, () -> {});
    queue.add(
        () -> {
          for (int sent = 0; sent < BODY; sent += PIECE) {
            wanted.acquireUninterruptibly(PIECE);
            pipe.offer(ByteBuffer.wrap(piece));
          }
          pipe.end();
        });
    byte[] buffer = new byte[PIECE];
    long read = 0;
    for (int n = 0; n >= 0; n = pipe.read(buffer, 0, PIECE, Deadline.none())) {
      read += n;
    }
    return read;
  }

  /** Ours, from the caller to the I/O thread. */
  @Benchmark
  public long requestBodyPipe() throws Exception {
    Upload upload = new Upload();
    for (int sent = 0; sent < BODY; sent += PIECE) {
      upload.pipe.write(piece, 0, PIECE, Deadline.none());
    }
    upload.pipe.finish();
    upload.taken.acquire();
    return upload.bytes;
  }

  /** The library's side of an upload: comes when it is signalled. */
  private final class Upload {
    final Semaphore taken = new Semaphore(0);
    final RequestBodyPipe pipe =
        new RequestBodyPipe(ON_THE_WAY, BODY, () -> queue.add(this::drain), () -> {});
    long bytes;

    private void drain() {
      try {
        if (pipe.drainTo(this::take)) {
          taken.release();
        }
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    private int take(ByteBuffer src) {
      int n = src.remaining();
      src.position(src.limit());
      bytes += n;
      return n;
    }
  }

  /** The baseline in streams. */
  @Benchmark
  public long pipedStreams() throws Exception {
    PipedOutputStream out = new PipedOutputStream();
    try (InputStream in = new PipedInputStream(out, ON_THE_WAY)) {
      queue.add(
          () -> {
            try (out) {
              for (int sent = 0; sent < BODY; sent += PIECE) {
                out.write(piece);
              }
            } catch (IOException e) {
              throw new IllegalStateException(e);
            }
          });
      byte[] buffer = new byte[PIECE];
      long read = 0;
      for (int n = 0; n >= 0; n = in.read(buffer)) {
        read += n;
      }
      return read;
    }
  }

  /** The baseline in arrays, each copied once into the queue, as a library's buffer has to be. */
  @Benchmark
  public long blockingQueue() throws Exception {
    BlockingQueue<byte[]> pieces = new ArrayBlockingQueue<>(ON_THE_WAY / PIECE);
    queue.add(
        () -> {
          try {
            for (int sent = 0; sent < BODY; sent += PIECE) {
              pieces.put(piece.clone());
            }
            pieces.put(END);
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
    byte[] buffer = new byte[PIECE];
    long read = 0;
    for (byte[] each = pieces.take(); each.length > 0; each = pieces.take()) {
      System.arraycopy(each, 0, buffer, 0, each.length);
      read += each.length;
    }
    return read;
  }
}
