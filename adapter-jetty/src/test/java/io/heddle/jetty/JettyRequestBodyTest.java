package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.core.Deadline;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.io.Content;
import org.junit.jupiter.api.Test;

class JettyRequestBodyTest {

  private static final int ROUNDS = 200_000;

  /** Fewer rounds where two threads that look for each other get no processor each. */
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final JettyRequestBody body = new JettyRequestBody(Deadline::none, () -> {});
  private final OutputStream out = body.new Stream();
  private final AtomicInteger woken = new AtomicInteger();

  /**
   * Seen as an early 413 over HTTP/2 that was lost: the sender, on the only selector's thread, was
   * told of an end that it must not send, asked again, and was told again.
   */
  @Test
  void theEndOfABodyThatIsNotWantedDoesNotWakeTheSender() throws IOException {
    body.stop();
    assertThrows(IOException.class, () -> out.write(1));
    out.close();
    assertNull(body.read());
    body.demand(woken::incrementAndGet);
    assertEquals(0, woken.get());
  }

  @Test
  void theEndOfABodyWakesTheSender() throws IOException {
    assertNull(body.read());
    out.close();
    body.demand(woken::incrementAndGet);
    assertEquals(1, woken.get());
    Content.Chunk last = body.read();
    assertTrue(last != null && last.isLast());
  }

  @Test
  void bytesThatWereThereBeforeTheDemandWakeTheSender() throws IOException {
    out.write(new byte[10]);
    body.demand(woken::incrementAndGet);
    assertEquals(1, woken.get());
  }

  @Test
  void bytesThatComeAfterTheDemandWakeTheSenderOnce() throws IOException {
    assertNull(body.read());
    body.demand(woken::incrementAndGet);
    assertEquals(0, woken.get());
    out.write(new byte[10]);
    assertEquals(1, woken.get());
    out.write(new byte[10]);
    assertEquals(1, woken.get());
  }

  @Test
  void aFailureWakesTheSenderAndIsRead() {
    body.demand(woken::incrementAndGet);
    IOException cause = new IOException("test");
    body.fail(cause);
    assertEquals(1, woken.get());
    Content.Chunk chunk = body.read();
    assertTrue(Content.Chunk.isFailure(chunk));
    assertSame(cause, Objects.requireNonNull(chunk).getFailure());
    assertThrows(IOException.class, () -> out.write(1));
  }

  /** Else the message is cut, or what is left of it is taken for the next one. */
  @Test
  void theLengthIsThatOfTheWholeBodyOrNotKnown() throws Exception {
    AtomicInteger round = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    AtomicReference<JettyRequestBody> raced = new AtomicReference<>(body);
    Thread sender =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (int i = 1; i <= ROUNDS; i++) {
                    await(round, i);
                    if (round.get() > i) {
                      return;
                    }
                    Content.Chunk unused = Objects.requireNonNull(raced.get()).read();
                    ended.set(i);
                  }
                });
    long begun = System.nanoTime();
    try {
      for (int i = 1; i <= ROUNDS && System.nanoTime() - begun < LONGEST_NANOS; i++) {
        JettyRequestBody next = new JettyRequestBody(Deadline::none, () -> {});
        OutputStream to = next.new Stream();
        to.write(new byte[10]);
        raced.set(next);
        round.set(i);
        to.close();
        await(ended, i);
        long length = next.length();
        assertTrue(length == -1 || length == 10, () -> "length " + length);
      }
    } finally {
      round.set(ROUNDS + 1); // the sender leaves
      sender.join();
    }
  }

  private static void await(AtomicInteger counter, int value) {
    while (counter.get() < value) {
      Thread.onSpinWait(); // for microseconds: one that parks comes too late for the race
    }
  }

  @Test
  void twoDemandsAtATimeAreAnError() {
    body.demand(woken::incrementAndGet);
    assertThrows(IllegalStateException.class, () -> body.demand(woken::incrementAndGet));
  }
}
