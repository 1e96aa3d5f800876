package io.heddle.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Over HTTP/2 a body that may wait is asked on a thread of its own, and no other. */
@Timeout(60)
class JdkUploadTest {

  /** Asks for the next piece as it gets one, as the client does while it has a window. */
  private static class Asking implements Flow.Subscriber<ByteBuffer> {
    final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    final CompletableFuture<Long> whole = new CompletableFuture<>();
    volatile long bytes;
    volatile long deepest;
    private Flow.@Nullable Subscription its;

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      its = subscription;
      subscription.request(1);
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one piece after the other
    public void onNext(ByteBuffer piece) {
      threads.add(Thread.currentThread());
      deepest = Math.max(deepest, StackWalker.getInstance().walk(frames -> frames.count()));
      bytes += piece.remaining();
      Flow.Subscription there = its;
      if (there != null) {
        there.request(1);
      }
    }

    @Override
    public void onError(Throwable failure) {
      whole.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      whole.complete(bytes);
    }
  }

  private static final int LENGTH = 32 * 1024 * 1024;

  private static Asking ask(BodyPublisher body) throws Exception {
    Asking client = new Asking();
    body.subscribe(new JdkUpload(client, true, !JdkInternals.isInMemory(body), bytes -> {}));
    assertEquals(LENGTH, client.whole.get(Clients.LONG_SECONDS, TimeUnit.SECONDS));
    return client;
  }

  @Test
  void oneInMemoryIsAskedWhereTheClientAsks() throws Exception {
    Asking client = ask(BodyPublishers.ofByteArray(new byte[LENGTH]));
    assertEquals(Set.of(Thread.currentThread()), client.threads);
    assertTrue(client.deepest < 200, client.deepest + " frames, for 2,048 pieces");
  }

  @Test
  void oneThatIsReadIsAskedOnAVirtualThread() throws Exception {
    byte[] bytes = new byte[LENGTH];
    Asking client = ask(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes)));
    assertTrue(client.threads.stream().allMatch(Thread::isVirtual), client.threads::toString);
  }

  /** Of HTTP/3, which asks as it has sent and as a window comes, and is not nudged. */
  @Test
  void whatIsAskedTwiceBeforeItComesIsBroughtTwice() throws Exception {
    Asking client =
        new Asking() {
          @Override
          public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(1);
            subscription.request(1);
          }
        };
    CompletableFuture<Long> asked = new CompletableFuture<>();
    new JdkUpload(client, false, false, bytes -> {})
        .onSubscribe(
            new Flow.Subscription() {
              private long sum;

              @Override
              public void request(long n) {
                sum += n;
                if (sum == 2) {
                  asked.complete(sum);
                }
              }

              @Override
              public void cancel() {}
            });
    assertEquals(2, asked.get(Clients.LONG_SECONDS, TimeUnit.SECONDS));
  }
}
