package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.io.Content;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class PumpedContentTest {

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(10, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Three chunks, A, B and C; the end is a chunk of its own. */
  private static class Letters implements Request.Content {

    private int next;
    private volatile boolean inRead;
    volatile boolean disturbed;

    /** Comes at each read, before the chunk is there; its result is whether there is none yet. */
    boolean holdUp() {
      return false;
    }

    @Override
    public Content.@Nullable Chunk read() {
      int mine = next;
      inRead = true;
      try {
        if (holdUp()) {
          return null;
        }
      } finally {
        inRead = false;
      }
      next = mine + 1;
      if (mine > 3) {
        throw new IllegalStateException("read beyond its end");
      }
      byte[] bytes = mine == 3 ? new byte[0] : new byte[] {(byte) ('A' + mine)};
      return Content.Chunk.from(ByteBuffer.wrap(bytes), mine == 3);
    }

    @Override
    public void demand(Runnable demandCallback) {
      demandCallback.run();
    }

    @Override
    public void fail(Throwable failure) {}

    @Override
    public boolean rewind() {
      if (inRead) {
        disturbed = true;
      }
      next = 0;
      return true;
    }
  }

  /** Takes a body to its end, as Jetty's sender does. */
  private static final class Sender {

    private final Request.Content content;
    private final StringBuilder taken = new StringBuilder();
    final CompletableFuture<String> whole = new CompletableFuture<>();

    Sender(Request.Content content) {
      this.content = content;
    }

    void takeAll() {
      for (; ; ) {
        Content.Chunk chunk = content.read();
        if (chunk == null) {
          content.demand(this::takeAll);
          return;
        }
        if (Content.Chunk.isFailure(chunk)) {
          whole.completeExceptionally(chunk.getFailure());
          return;
        }
        taken.append(StandardCharsets.US_ASCII.decode(chunk.getByteBuffer()));
        if (chunk.isLast()) {
          whole.complete(taken.toString());
          return;
        }
      }
    }
  }

  @Test
  void aBodyIsReadToItsEndAndOnceMore() throws Exception {
    PumpedContent pumped = new PumpedContent(new Letters());
    for (int i = 0; i < 100; i++) {
      Sender sender = new Sender(pumped);
      sender.takeAll();
      assertEquals("ABC", sender.whole.get(10, TimeUnit.SECONDS));
      assertTrue(pumped.rewind());
    }
  }

  /** Seen as a challenge in the middle of an upload: what was being read came twice. */
  @Test
  void aBodyIsNotRewoundWhileItIsRead() throws Exception {
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch mayRead = new CountDownLatch(1);
    Letters letters =
        new Letters() {
          @Override
          boolean holdUp() {
            reading.countDown();
            await(mayRead);
            return false;
          }
        };
    PumpedContent pumped = new PumpedContent(letters);
    pumped.demand(() -> {}); // as a sender of Jetty's that has failed takes it
    await(reading);
    pumped.fail(new IOException("test"));
    assertTrue(pumped.rewind());
    Sender again = new Sender(pumped);
    again.takeAll();
    mayRead.countDown();
    assertEquals("ABC", again.whole.get(10, TimeUnit.SECONDS));
    assertFalse(letters.disturbed);
  }

  /** The same, with a body that takes its time to fail: it is rewound after that. */
  @Test
  void aBodyIsRewoundOnceItHasFailed() throws Exception {
    CountDownLatch mayFail = new CountDownLatch(1);
    CountDownLatch failed = new CountDownLatch(1);
    CompletableFuture<Boolean> inTurn = new CompletableFuture<>();
    Letters letters =
        new Letters() {
          @Override
          public void fail(Throwable failure) {
            await(mayFail);
            failed.countDown();
          }

          @Override
          public boolean rewind() {
            inTurn.complete(failed.getCount() == 0);
            return super.rewind();
          }
        };
    PumpedContent pumped = new PumpedContent(letters);
    pumped.fail(new IOException("test"));
    assertTrue(pumped.rewind());
    Sender again = new Sender(pumped);
    again.takeAll();
    mayFail.countDown();
    assertEquals("ABC", again.whole.get(10, TimeUnit.SECONDS));
    assertTrue(inTurn.get());
  }

  @Test
  void aBodyThatCannotBeRewoundSaysSo() {
    PumpedContent pumped =
        new PumpedContent(
            new Letters() {
              @Override
              public boolean rewind() {
                return false;
              }
            });
    assertFalse(pumped.rewind());
  }

  /** A body that tells twice that there is something: the second time nobody has asked. */
  @Test
  void nothingIsReadThatNobodyAskedFor() throws Exception {
    CompletableFuture<Runnable> asked = new CompletableFuture<>();
    Letters letters =
        new Letters() {
          @Override
          boolean holdUp() {
            return !asked.isDone();
          }

          @Override
          public void demand(Runnable demandCallback) {
            asked.complete(demandCallback);
          }
        };
    PumpedContent pumped = new PumpedContent(letters);
    CountDownLatch ready = new CountDownLatch(1);
    pumped.demand(ready::countDown);
    Runnable callback = asked.get(10, TimeUnit.SECONDS);
    callback.run();
    callback.run();
    await(ready);
    Thread.sleep(200); // in which it might read on
    Sender sender = new Sender(pumped);
    sender.takeAll();
    assertEquals("ABC", sender.whole.get(10, TimeUnit.SECONDS));
  }
}
