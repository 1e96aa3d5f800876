package io.heddle.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.core.CallEvent;
import io.heddle.core.Deadline;
import java.nio.ByteBuffer;
import java.util.List;
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

  private final JdkResponseStream stream =
      new JdkResponseStream(Deadline.none(), -1, false, CallEvent.OFF);

  @Test
  @Timeout(30)
  void readerThatIsAtWorkIsNotForgotten() throws Exception {
    CompletableFuture<Boolean> whileAtWork = new CompletableFuture<>();
    FutureTask<Integer> read = new FutureTask<>(() -> stream.read(new byte[PIECE]));
    Thread reader = Thread.ofPlatform().unstarted(read);
    stream.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long n) {
            if (Thread.currentThread().equals(reader)) {
              whileAtWork.complete(stream.isForgotten());
            }
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
    assertFalse(whileAtWork.get(10, TimeUnit.SECONDS));
  }

  @Test
  void readerThatComesNoMoreIsForgotten() throws Exception {
    stream.onNext(List.of(ByteBuffer.allocate(PIECE)));
    assertEquals(PIECE, stream.read(new byte[PIECE]));
    Thread.sleep(1_200);
    assertTrue(stream.isForgotten());
  }
}
