package io.heddle.okhttp;

import io.heddle.CallsInFlight;
import io.heddle.core.CallReport;
import java.util.Objects;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;

/**
 * An {@link OkHttpClient} whose blocking calls are made for virtual threads: {@code
 * newCall(..).execute()} runs on its caller, as OkHttp's own does, but for what would harm others.
 *
 * <pre>{@code
 * OkHttpClient client = BlockingOkHttpClient.wrap(okHttpClient);
 * try (Response response = client.newCall(request).execute()) {
 *   return response.body().string();
 * }
 * }</pre>
 *
 * <p>It shares the connection pool, dispatcher, cache and cookies of the client that it wraps, and
 * calls of both may be mixed. {@code enqueue} and web sockets are OkHttp's own.
 *
 * <h2>What it adds</h2>
 *
 * <ul>
 *   <li>Before JDK 24 a caller holds no carrier, however many calls wait on however few HTTP/2
 *       connections.
 *   <li>An interrupt ends its own call, at once, with {@link java.io.InterruptedIOException} and
 *       the flag kept. It never closes a socket that other calls use.
 *   <li>{@code callTimeout} and {@code cancel()} end a call in time wherever it is: in a name
 *       look-up, too, and in a write to a connection that has stalled.
 *   <li>A connection of HTTP/2 on which no call ended well between a request and its timeout gets
 *       no further calls: its path may be dead.
 *   <li>What a server sends behind a response over HTTP/1.1 is never taken for the response to the
 *       next request, which goes over another connection, if it has arrived by then.
 *   <li>Name look-ups hold no carrier.
 *   <li>A call that is cancelled while its request is being sent gives its connection back.
 *   <li>A response over HTTP/2 that is shorter than its Content-Length fails.
 *   <li>A request that the server says it did not process, over HTTP/2, is sent again, up to
 *       {@value CallEngine#REFUSALS} times, unless {@code retryOnConnectionFailure(false)} forbids
 *       it.
 *   <li>Uploads do not wait for delayed acknowledgements: TCP_NODELAY, which OkHttp leaves off.
 * </ul>
 *
 * <h2>What runs where</h2>
 *
 * <p>Interceptors, cache, cookies, authenticators, event listeners and {@code RequestBody.writeTo}
 * run on the caller's thread, with its thread-locals, scoped values and spans, and see the {@code
 * Call} that {@code newCall} returned. Over HTTP/2, and for callers that are platform threads, what
 * talks to the server runs on a worker.
 *
 * <h2>What is different</h2>
 *
 * <ul>
 *   <li>{@code Dns} is asked on a thread of our own.
 *   <li>Events of what a worker does reach the listener when the caller comes by: at once while it
 *       waits for the head, with its next read while a body comes. {@code canceled} comes on the
 *       thread that cancels, as in OkHttp.
 *   <li>Listeners that are added to one call with {@code addEventListener} hear of what a worker
 *       does on the worker.
 *   <li>Where a worker reads a response's body (HTTP/2 before JDK 24, platform callers over
 *       HTTP/1.1), it reads ahead of the caller, at most 64 KiB, and a response that nobody closes
 *       keeps it, if more is to come and there is no {@code callTimeout}.
 *   <li>What a duplex call writes it writes itself, on its own thread, as in OkHttp. An interrupt
 *       in the midst of such a write closes the connection, which other calls may share.
 *   <li>A platform thread is not freed by an interrupt from a TLS handshake; nor, over HTTP/1.1,
 *       from a read of the body of a response that a virtual thread has got.
 *   <li>Where a worker talks to the server, an interrupt cancels the call: an interceptor that
 *       clears the flag can neither proceed again nor answer instead.
 *   <li>{@link #newBuilder()} makes plain clients; see there.
 * </ul>
 *
 * <p>Any number of threads may use it, virtual and platform ones.
 */
public final class BlockingOkHttpClient extends OkHttpClient
    implements AutoCloseable, CallsInFlight {

  private final OkHttpClient calls;
  private final CallEngine engine;

  /**
   * A client.
   *
   * @param seen the user's settings
   * @param calls the same with the engine in it, which makes the calls
   */
  BlockingOkHttpClient(OkHttpClient.Builder seen, OkHttpClient calls, CallEngine engine) {
    super(seen);
    this.calls = calls;
    this.engine = engine;
  }

  /**
   * A client like this one, whose blocking calls are made for virtual threads.
   *
   * @param client any; if it is a {@code BlockingOkHttpClient}, it is returned
   */
  public static BlockingOkHttpClient wrap(OkHttpClient client) {
    return client instanceof BlockingOkHttpClient blocking ? blocking : builder(client).build();
  }

  /**
   * Begins a client like this one, with settings of ours.
   *
   * @param client any
   */
  public static BlockingOkHttpClientBuilder builder(OkHttpClient client) {
    return new BlockingOkHttpClientBuilder(Objects.requireNonNull(client, "client"));
  }

  @Override
  public Call newCall(Request request) {
    return calls.newCall(request);
  }

  @Override
  public WebSocket newWebSocket(Request request, WebSocketListener listener) {
    return calls.newWebSocket(request, listener);
  }

  /**
   * A builder with the settings of this client. What it builds is a plain {@link OkHttpClient}, as
   * the builder's class is OkHttp's; yet its calls keep what those of this client promise, its
   * limits and its {@link #close} among them. Four things it can lose, which {@link #wrap} of the
   * result gives back, without the limits and the close of this client:
   *
   * <ul>
   *   <li>an interceptor that is added behind those which are there runs again whenever a request
   *       that the server refused is sent again;
   *   <li>a network interceptor that is added behind those which are there runs on the worker, over
   *       HTTP/2 and for a platform thread; one that is put before them runs on the caller;
   *   <li>an event listener that is set anew hears of what a worker does on the worker, and with
   *       OkHttp 4 the limits do not hold for its calls, nor does {@link #close} end them;
   *   <li>a {@code Dns} that is set anew is asked on the caller's thread, where it may hold a
   *       carrier, and nothing ends it.
   * </ul>
   */
  @Override
  public OkHttpClient.Builder newBuilder() {
    OkHttpClient.Builder builder = super.newBuilder();
    engine.install(builder, this);
    return builder;
  }

  /**
   * Cancels the calls of {@code execute()} that are under way, of this client and of those rebuilt
   * from it, and refuses further ones with {@link java.io.IOException}. Does not wait. It leaves
   * what is shared with the client that was wrapped: dispatcher, connection pool, cache. Not needed
   * for the end of a program, nor to free threads: workers end when idle.
   *
   * @throws RuntimeException that the listener of a call threw on being told, once all are
   *     cancelled
   */
  @Override
  public void close() {
    engine.close();
  }

  /** How many calls of {@code execute()} are under way, and do not wait for a place. */
  @Override
  public int inFlight() {
    return engine.executing(false);
  }

  /** How many calls wait for a place, if there are limits. */
  @Override
  public int waiting() {
    return engine.executing(true);
  }

  /** What each call waits for, see {@link CallReport}; at its body, if for anything. */
  @Override
  public String toString() {
    CallReport report = new CallReport("BlockingOkHttpClient", this);
    engine.tell(report);
    return report.toString();
  }
}
