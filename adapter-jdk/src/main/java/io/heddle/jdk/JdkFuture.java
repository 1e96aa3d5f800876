package io.heddle.jdk;

import java.net.http.HttpResponse;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
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
   * @param discard takes a response that nobody will get
   */
  static <B> CompletableFuture<HttpResponse<B>> of(
      Callable<HttpResponse<B>> call, Runnable onCancel, Consumer<HttpResponse<?>> discard) {
    Running<B> running = new Running<>(call, discard);
    Thread thread = Thread.ofVirtual().name("heddle-jdk-call").unstarted(running);
    JdkFuture<HttpResponse<B>> future = new JdkFuture<>(thread, onCancel);
    running.future = future;
    thread.start();
    return future;
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

  private static final class Running<B> implements Runnable {
    private final Callable<HttpResponse<B>> call;
    private final Consumer<HttpResponse<?>> discard;
    private @Nullable JdkFuture<HttpResponse<B>> future; // set before the thread starts

    Running(Callable<HttpResponse<B>> call, Consumer<HttpResponse<?>> discard) {
      this.call = call;
      this.discard = discard;
    }

    @Override
    public void run() {
      JdkFuture<HttpResponse<B>> its = future;
      if (its == null) {
        return;
      }
      try {
        HttpResponse<B> response = call.call();
        its.defaultExecutor().execute(() -> bring(its, response)); // what depends on it runs there
      } catch (Throwable failure) {
        its.defaultExecutor().execute(() -> its.completeExceptionally(failure));
      }
    }

    private void bring(JdkFuture<HttpResponse<B>> its, HttpResponse<B> response) {
      if (!its.complete(response)) {
        discard.accept(response);
      }
    }
  }
}
