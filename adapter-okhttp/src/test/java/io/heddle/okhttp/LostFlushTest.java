package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okio.Buffer;
import okio.BufferedSink;
import okio.Okio;
import okio.Sink;
import okio.Timeout;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A writer that flushes each line, and then waits for what the server makes of it, was seen to wait
 * for ever: it flushed while the worker was about to look, and the worker cleared the flag unseen.
 */
class LostFlushTest {

  private static final int ROUNDS = 100_000;

  /** Fewer rounds where two threads that look for each other get no processor each. */
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Within a thousand times that a worker wakes and looks. */
  private static final int SPREAD_NANOS = 30;

  /** Counts what has gone out. */
  private static final class Socket implements Sink {
    private final AtomicInteger sent = new AtomicInteger();

    @Override
    public void write(Buffer source, long byteCount) throws IOException {
      source.skip(byteCount);
      sent.addAndGet((int) byteCount);
    }

    @Override
    public void flush() {}

    @Override
    public Timeout timeout() {
      return Timeout.NONE;
    }

    @Override
    public void close() {}

    private void await(int bytes) {
      long begun = System.nanoTime();
      while (sent.get() < bytes) {
        if (System.nanoTime() - begun > TimeUnit.SECONDS.toNanos(10)) {
          throw new AssertionError("flush number " + bytes + " was not sent");
        }
        Thread.onSpinWait(); // for microseconds: one that parks comes too late for the race
      }
    }
  }

  private static void spin(int nanos) {
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < nanos) {
      Thread.onSpinWait(); // for up to 30 µs: a park takes longer
    }
  }

  @Test
  @SuppressWarnings("NullAway") // who begins at once has no use for the exchange
  void whatIsFlushedIsSent() throws Exception {
    Socket socket = new Socket();
    AtomicInteger lines = new AtomicInteger();
    RequestBody own =
        new RequestBody() {
          @Override
          public @Nullable MediaType contentType() {
            return null;
          }

          @Override
          public void writeTo(BufferedSink sink) throws IOException {
            long begun = System.nanoTime();
            for (int line = 1;
                line <= ROUNDS && System.nanoTime() - begun < LONGEST_NANOS;
                line++) {
              lines.set(line);
              sink.writeByte('\n').emit(); // wakes the worker, who looks for what there is
              spin(line % 1_000 * SPREAD_NANOS);
              sink.flush();
              socket.await(line);
            }
          }
        };
    Request request = new Request.Builder().url("http://localhost/").post(own).build();
    OkHttpRequestBody body = new OkHttpRequestBody(null, request, own, false);
    Thread caller = Thread.ofPlatform().start(body::write);
    body.writeTo(Okio.buffer(socket)); // which throws what the writer throws
    caller.join();
    assertEquals(lines.get(), socket.sent.get());
  }
}
