package io.heddle.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.core.CallEvent;
import io.heddle.core.Deadline;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A reader that had waited for longer than a second was taken for gone by the client's {@code
 * close()}, as long as it was at work on what it had waited for: asking for more, say.
 */
class ReaderAtWorkTest {

  private static final int PIECE = 128 * 1024;

  private static final int ATTEMPTS = 5;

  private static JdkResponseStream stream() {
    return new JdkResponseStream(Deadline.none(), -1, false, CallEvent.OFF);
  }

  /** A reader that is quick takes all before the client looks, which then asks for more itself. */
  @Test
  @Timeout(60)
  void readerThatIsAtWorkIsNotForgotten() throws Exception {
    Optional<Boolean> forgotten = Optional.empty();
    for (int i = 0; forgotten.isEmpty() && i < ATTEMPTS; i++) {
      forgotten = forgottenAtWork();
    }
    assertEquals(Optional.of(false), forgotten);
  }

  /** Whether a reader that asks for more is forgotten; nothing if the client asks. */
  private static Optional<Boolean> forgottenAtWork() throws Exception {
    JdkResponseStream stream = stream();
    CompletableFuture<Optional<Boolean>> asked = new CompletableFuture<>();
    FutureTask<Integer> read = new FutureTask<>(() -> stream.read(new byte[PIECE]));
    Thread reader = Thread.ofPlatform().unstarted(read);
    stream.onSubscribe(
        new Flow.Subscription() {
          private boolean begun;

          @Override
          public void request(long n) {
            if (begun) {
              boolean byReader = Thread.currentThread().equals(reader);
              asked.complete(byReader ? Optional.of(stream.isForgotten()) : Optional.empty());
            }
            begun = true;
          }

          @Override
          public void cancel() {}
        });
    reader.start();
    while (reader.getState() != Thread.State.WAITING) {
      Thread.sleep(1);
    }
    Thread.sleep(1_200);
    assertFalse(stream.isForgotten());
    stream.onNext(List.of(ByteBuffer.allocate(PIECE)));
    assertEquals(PIECE, read.get(10, TimeUnit.SECONDS));
    return asked.get(10, TimeUnit.SECONDS);
  }

  @Test
  void readerThatComesNoMoreIsForgotten() throws Exception {
    JdkResponseStream stream = stream();
    stream.onNext(List.of(ByteBuffer.allocate(PIECE)));
    assertEquals(PIECE, stream.read(new byte[PIECE]));
    Thread.sleep(1_200);
    assertTrue(stream.isForgotten());
  }
}
