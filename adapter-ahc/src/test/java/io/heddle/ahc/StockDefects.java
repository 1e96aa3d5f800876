package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.asynchttpclient.AsyncHttpClient;
import org.asynchttpclient.DefaultAsyncHttpClient;
import org.asynchttpclient.DefaultAsyncHttpClientConfig;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.ListenableFuture;

/**
 * What goes wrong for a caller that blocks on AHC 3.0.13. Each check runs twice: against AHC's own
 * client, where it has to fail, so that the test says nothing that is not so; and against ours,
 * where it has to hold. What AHC's own client leaves behind is not looked for; ours is, in the kit.
 */
abstract class StockDefects {

  static final long SOON_MILLIS = 1500;

  /** What a caller may expect of a client; fails with an {@link AssertionError}. */
  @FunctionalInterface
  interface Check {
    void run(AsyncHttpClient client, FaultServer server) throws Exception;
  }

  static void assertMended(Wire wire, Check check) throws Exception {
    assertMended(wire, config -> config, check);
  }

  static void assertMended(
      Wire wire, UnaryOperator<DefaultAsyncHttpClientConfig.Builder> settings, Check check)
      throws Exception {
    assertThrows(AssertionError.class, () -> run(wire, settings, check, false), "AHC's own client");
    run(wire, settings, check, true);
  }

  static void run(
      Wire wire,
      UnaryOperator<DefaultAsyncHttpClientConfig.Builder> settings,
      Check check,
      boolean ours)
      throws Exception {
    DefaultAsyncHttpClientConfig.Builder config =
        settings.apply(
            Dsl.config()
                .setHttp2CleartextEnabled(wire.isMultiplexed())
                .setIoThreadsCount(1)
                .setShutdownQuietPeriod(Duration.ZERO)
                .setShutdownTimeout(Duration.ofSeconds(1)));
    try (FaultServer server = FaultServer.start(wire);
        AsyncHttpClient client =
            ours
                ? new BlockingAhcClient(config.build())
                : new DefaultAsyncHttpClient(
                    config
                        .setHttpAdditionalChannelInitializer(StockConnections::readLate)
                        .build())) {
      check.run(client, server);
    }
  }

  static boolean isSoon(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SOON_MILLIS);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        return false;
      }
      Thread.sleep(5);
    }
    return true;
  }

  static Seen seen(FaultServer server, URI uri) throws InterruptedException {
    assertTrue(isSoon(() -> !server.seen(uri).isEmpty()), "the request is there");
    return server.seen(uri).get(0);
  }

  /** What a thread that blocks in {@code get()} ends with. */
  static CompletableFuture<Throwable> failureOf(ListenableFuture<?> future) {
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> failure.complete(assertThrows(Throwable.class, future::get)));
    return failure;
  }

  static Throwable soon(CompletableFuture<Throwable> failure) throws Exception {
    try {
      return failure.get(SOON_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return fail("the caller is still blocked");
    }
  }

  /** Makes so many calls at once, from a virtual thread each; all have to end with status 200. */
  static void assertAllSucceed(int count, Callable<Integer> call) throws Exception {
    List<CompletableFuture<Integer>> calls = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      CompletableFuture<Integer> status = new CompletableFuture<>();
      calls.add(status);
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  status.complete(call.call());
                } catch (Exception e) {
                  status.completeExceptionally(e);
                }
              });
    }
    for (CompletableFuture<Integer> each : calls) {
      try {
        assertEquals(200, each.get(30, TimeUnit.SECONDS));
      } catch (ExecutionException e) {
        throw new AssertionError("a call failed", e);
      }
    }
  }
}
