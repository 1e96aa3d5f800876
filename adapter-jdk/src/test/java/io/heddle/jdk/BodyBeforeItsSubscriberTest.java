package io.heddle.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * A writer that ends at once, while the JDK still has no field for who takes its body: a
 * NullPointerException in {@code Http1Exchange.requestMoreBody}, and the call failed with it.
 */
class BodyBeforeItsSubscriberTest {

  /** Notes what it is told, and asks for nothing until it is told to. */
  private static final class Client implements Flow.Subscriber<ByteBuffer> {
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();

    @Override
    public void onSubscribe(Flow.Subscription its) {
      subscription.complete(its);
    }

    @Override
    public void onNext(ByteBuffer piece) {
      told.add(piece.remaining() + " bytes");
    }

    @Override
    public void onError(Throwable failure) {
      told.add(failure.getMessage());
      over.countDown();
    }

    @Override
    public void onComplete() {
      told.add("end");
      over.countDown();
    }
  }

  @Test
  void endWaitsUntilSomethingIsAskedFor() throws Exception {
    assertToldOnceAsked(out -> {}, "end");
  }

  @Test
  void failureWaitsUntilSomethingIsAskedFor() throws Exception {
    assertToldOnceAsked(
        out -> {
          throw new IOException("torn");
        },
        "torn");
  }

  private static void assertToldOnceAsked(WrittenBody.Writer writer, String what) throws Exception {
    Client client = new Client();
    WrittenBody.of(writer).subscribe(client);
    assertEquals(false, client.over.await(200, TimeUnit.MILLISECONDS), () -> "told " + client.told);
    client.subscription.get().request(1);
    assertTrue(client.over.await(10, TimeUnit.SECONDS));
    assertEquals(List.of(what), client.told);
  }
}
