package io.heddle.jdk;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The future of a call that runs on a virtual thread of its own. To cancel it, or what depends on
 * it, interrupts that thread, as the JDK's futures abort their exchange.
 *
 * @param <T> the response, or what is made of it
 */
final class JdkFuture<T extends @Nullable Object> extends CompletableFuture<T> {

  private final Thread call;
  private final Runnable onCancel;

  private JdkFuture(Thread call, Runnable onCancel) {
    this.call = call;
    this.onCancel = onCancel;
  }

  /**
   * Starts the call.
   *
   * @param onCancel runs before the call is interrupted; must not wait
   * @param discard runs if nobody will get the response
   */
  JdkFuture(Callable<T> call, Runnable onCancel, Runnable discard) {
    this.call =
        Thread.ofVirtual()
            .name("heddle-jdk-call")
            .inheritInheritableThreadLocals(false)
            .unstarted(() -> run(call, discard));
    this.onCancel = onCancel;
    this.call.start();
  }

  private void run(Callable<T> call, Runnable discard) {
    try {
      T response = call.call();
      defaultExecutor().execute(() -> bring(response, discard)); // what depends on it runs there
    } catch (Throwable failure) {
      defaultExecutor().execute(() -> completeExceptionally(failure));
    }
  }

  private void bring(T response, Runnable discard) {
    if (!complete(response)) {
      discard.run();
    }
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    if (mayInterruptIfRunning) {
      onCancel.run();
      call.interrupt();
    }
    return cancelled;
  }

  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new JdkFuture<>(call, onCancel);
  }
}
