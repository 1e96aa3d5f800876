package io.heddle.okhttp;

import io.heddle.core.CallReport;
import io.heddle.core.CallSite;
import io.heddle.core.Deadline;
import io.heddle.core.InFlightLimit;
import io.heddle.core.Resends;
import io.heddle.core.Signal;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * What the calls of one client, and of those rebuilt from it, have in common: the workers, the
 * limits if there are any, name look-up, and the calls that are under way, so that a close can end
 * them. {@link #install} puts it into a client, {@link #strip} takes it out again.
 */
final class CallEngine implements AutoCloseable {

  /** How often a refused call goes again: OkHttp sends it twice each time, on a new connection. */
  static final int REFUSALS = 20;

  private final Executor threads;
  private final Executor cancels;
  private final OkHttpResolver dns;
  private final @Nullable InFlightLimit limit;
  private final @Nullable HostLimits hosts;
  private final @Nullable Duration queueTimeout;

  /** Those that have begun and are not over. */
  final LiveCalls live = new LiveCalls();

  private volatile boolean closed;

  /**
   * An engine.
   *
   * @param client whose name service it has
   * @param threads null for those that are right on this runtime
   * @param limit of all calls; null for none
   * @param hosts limits of connections; null for none
   * @param queueTimeout for a call that waits at either; null for none
   */
  CallEngine(
      OkHttpClient client,
      @Nullable Executor threads,
      @Nullable InFlightLimit limit,
      @Nullable HostLimits hosts,
      @Nullable Duration queueTimeout) {
    this.threads = threads == null ? WorkerThreads.forThisRuntime() : threads;
    this.cancels = threads == null ? this.threads : WorkerThreads.platform(); // his may be all busy
    this.dns = new OkHttpResolver(client.dns());
    this.limit = limit;
    this.hosts = hosts;
    this.queueTimeout = queueTimeout;
  }

  // ---- building -------------------------------------------------------------------------------

  /** Puts this into a client that has none. */
  void install(OkHttpClient.Builder builder, OkHttpClient client) {
    builder.dns(dns).eventListenerFactory(new Listeners(this, client.eventListenerFactory()));
    builder.socketFactory(OkHttpSockets.of(client.socketFactory(), client.protocols()));
    List<Interceptor> users = builder.interceptors();
    Last last = new Last(this);
    if (users.isEmpty()) {
      users.add(new First(this, last));
    } else {
      users.add(0, new First(this, null));
      users.add(last);
    }
    builder.networkInterceptors().add(new HandOver(this));
  }

  /** A client's settings, without what {@link #install} has put in. */
  static OkHttpClient.Builder strip(OkHttpClient client) {
    OkHttpClient.Builder builder = client.newBuilder();
    builder.interceptors().removeIf(CallEngine::isOurs);
    builder.networkInterceptors().removeIf(HandOver.class::isInstance);
    builder.socketFactory(OkHttpSockets.own(client.socketFactory()));
    if (client.dns() instanceof OkHttpResolver ours) {
      builder.dns(ours.own());
    }
    if (client.eventListenerFactory() instanceof Listeners ours) {
      builder.eventListenerFactory(ours.own());
    }
    return builder;
  }

  private static boolean isOurs(@Nullable Interceptor interceptor) {
    return interceptor instanceof First || interceptor instanceof Last;
  }

  // ---- caller ---------------------------------------------------------------------------------

  @Nullable InFlightLimit limit() {
    return limit;
  }

  @Nullable HostLimits hosts() {
    return hosts;
  }

  /** How long a call may wait for its turn, from now. */
  Deadline lease() {
    return queueTimeout == null ? Deadline.none() : Deadline.after(queueTimeout);
  }

  /** How many calls of {@code execute} wait for a place, or do not. */
  int executing(boolean waitForPlace) {
    return (int)
        live.all().stream()
            .filter(each -> each.isExecuting() && each.waitsForPlace() == waitForPlace)
            .count();
  }

  void tell(CallReport report) {
    live.all().stream().filter(LiveCall::isExecuting).forEach(each -> each.tell(report));
  }

  void checkOpen() throws IOException {
    if (closed) {
      throw new IOException("the client is closed");
    }
  }

  /**
   * Starts work that may block on what calls share.
   *
   * @throws IOException if the client is closed, or the user's own executor takes no more
   */
  void start(Runnable work) throws IOException {
    try {
      threads.execute(work);
    } catch (RejectedExecutionException e) {
      checkOpen();
      throw CallSite.caused(new InterruptedIOException("executor rejected"), e);
    }
  }

  /**
   * Cancels what OkHttp shares.
   *
   * <p>OkHttp enters the monitor of an HTTP/2 stream for it. A virtual thread before JDK 24 would
   * hold its carrier there while a worker is in that monitor, who may wait for the lock of okio's
   * timers; if that is the turn of a virtual thread, and all carriers are held so, nobody goes on
   * any more. So a worker does it, for whom the caller waits where it holds no carrier.
   */
  void cancel(Runnable cancel) {
    if (!WorkerThreads.holdsCarrier()) {
      cancel.run();
      return;
    }
    HandedCancel handed = new HandedCancel(cancel);
    try {
      cancels.execute(handed);
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      handed.run(); // the client is closed, or there is no thread to be had
    }
    handed.await();
  }

  /** A cancel that a worker does. */
  private static final class HandedCancel implements Runnable {
    private final Runnable cancel;
    private final Signal done = new Signal();

    // Written by the worker before `done`.
    private @Nullable RuntimeException thrown;

    HandedCancel(Runnable cancel) {
      this.cancel = cancel;
    }

    @Override
    public void run() {
      try {
        cancel.run();
      } catch (RuntimeException e) { // of a listener
        thrown = e;
      } finally {
        done.raise(); // wakes the caller in await
      }
    }

    /** Waits for the worker, also if the thread is interrupted. */
    void await() {
      boolean unused = done.awaitUninterruptibly(Deadline.none());
      if (thrown != null) {
        throw thrown;
      }
    }
  }

  /** What a call has in common with its listener, or a substitute where there is another. */
  private LiveCall of(Call call) {
    LiveCall known = live.get(call);
    if (known != null) {
      return known;
    }
    LiveCall substitute = new LiveCall(this, call, EventListener.NONE);
    substitute.hear();
    return substitute;
  }

  /** Null if it is a dispatcher's, or none of ours. */
  @Nullable LiveCall begun(Call call) {
    LiveCall current = LiveCall.current(call);
    LiveCall known = current == null ? live.get(call) : current;
    return known != null && known.isWithin() ? known : null;
  }

  // ---- any thread -----------------------------------------------------------------------------

  /**
   * Cancels the calls that are under way. A listener that throws stops nothing.
   *
   * @throws RuntimeException of a listener, once all is done
   */
  @Override
  public void close() {
    closed = true;
    RuntimeException thrown = null;
    for (LiveCall each : live.all()) {
      try {
        each.endWithClient();
      } catch (RuntimeException e) {
        thrown = thrown == null ? e : thrown;
      }
    }
    dns.close();
    if (cancels instanceof ExecutorService pool) { // which may be the workers' own
      pool.shutdown(); // its threads end as soon as OkHttp lets go of them
    }
    if (thrown != null) {
      throw thrown;
    }
  }

  /** Makes listeners that pass on to the user's own. By value, as OkHttp's factories are. */
  private record Listeners(CallEngine engine, EventListener.Factory own)
      implements EventListener.Factory {
    @Override
    public EventListener create(Call call) {
      return new LiveCall(engine, call, own.create(call));
    }
  }

  /**
   * The first of all interceptors: a call begins and ends here, as its caller sees it.
   *
   * @param last if the user has none; each interceptor costs a chain of OkHttp's
   */
  private record First(CallEngine engine, @Nullable Last last) implements Interceptor {
    @Override
    public Response intercept(Chain chain) throws IOException {
      LiveCall call = engine.of(chain.call());
      Thread thread = Thread.currentThread();
      if (!thread.isVirtual() && call.isEnqueued(thread)) {
        return chain.proceed(chain.request()); // nobody waits who could be interrupted
      }
      OkHttpFailures.forbidWaiting();
      LiveCall outer = LiveCall.current();
      try {
        call.begin(outer);
        LiveCall.current(call);
        Response response = last == null ? chain.proceed(chain.request()) : last.intercept(chain);
        call.returned();
        return response;
      } catch (Throwable t) { // an interceptor may throw anything, and all of it is the caller's
        call.failed(t);
        call.giveUpBody();
        call.leave();
        throw OkHttpFailures.sneaky(t);
      } finally {
        LiveCall.current(outer);
      }
    }
  }

  /** The last interceptor of the application's side: what comes now may need a connection. */
  private record Last(CallEngine engine) implements Interceptor {
    @Override
    public Response intercept(Chain chain) throws IOException {
      LiveCall call = engine.begun(chain.call());
      if (call == null) {
        return connecting(chain, chain.request());
      }
      return call.on(
          () -> {
            call.places().awaitHost(chain.request().url());
            return proceed(chain, call);
          });
    }

    private Response connecting(Chain chain, Request request) throws IOException {
      Call call = chain.call();
      try {
        Response response = chain.proceed(request);
        if (response.body().source() instanceof Buffer && OkHttpInternals.hasDeadExchange(call)) {
          // A network interceptor has answered in the server's place. OkHttp has no retry to decide
          // on any more.
          engine.cancel(() -> OkHttpInternals.detachOpenExchange(call));
        }
        return response;
      } finally {
        PrefaceGate.leave(); // if a listener has thrown
      }
    }

    private Response proceed(Chain chain, LiveCall call) throws IOException {
      Resends resends = new Resends(Deadline.none(), REFUSALS); // OkHttp's timer cancels
      Request request = chain.request();
      Response prior = null;
      while (true) {
        try {
          resends.pause(); // which is nothing at first
          call.asks(request);
          return after(prior, connecting(chain, request));
        } catch (HandOver.Unsound e) {
          // Once more: that connection is gone, and a new one is sound.
        } catch (Throwable t) { // which Kotlin's code need not declare
          if (!mayRepeat(t, chain, call) || !resends.unprocessed()) {
            throw OkHttpFailures.ofCall(t);
          }
        }
        request = call.asked(); // it goes on from where it was
        Response led = call.led();
        prior = led == null ? prior : after(prior, led);
      }
    }

    /** The response, the first of whose prior ones comes after this one. */
    private static Response after(@Nullable Response prior, Response response) {
      if (prior == null) {
        return response;
      }
      Response own = response.priorResponse();
      return response.newBuilder().priorResponse(own == null ? prior : after(prior, own)).build();
    }
  }

  /** Whether OkHttp itself repeats a request whose connection turns out to be closed. */
  static boolean isRepeatable(Interceptor.Chain chain, Request request) {
    RequestBody body = request.body();
    return (body == null || !body.isOneShot()) && OkHttpInternals.retries(chain);
  }

  /**
   * Whether a call may be repeated from what OkHttp has asked last, if that was not processed. What
   * a response has led to meets no interceptor of a rebuilt client's: one that adds credentials
   * would give them to whom the redirect leads.
   */
  static boolean goesOn(Interceptor.Chain chain, LiveCall call) {
    return !call.isAnswered()
        && (call.led() == null || isOurs(OkHttpInternals.lastInterceptor(chain)));
  }

  /**
   * Whether the server has processed nothing of what it was asked last. OkHttp itself gives up at
   * the second refusal, and at the first on a connection that has had no success.
   */
  private static boolean mayRepeat(Throwable failure, Interceptor.Chain chain, LiveCall call) {
    return goesOn(chain, call)
        && OkHttpInternals.isRefused(failure)
        && !call.isCanceled()
        && (OkHttpInternals.isUnsent(failure)
            ? OkHttpInternals.retries(chain)
            : isRepeatable(chain, call.asked()));
  }
}
