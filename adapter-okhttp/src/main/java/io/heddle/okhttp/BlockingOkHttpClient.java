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
 * An {@link OkHttpClient} whose blocking calls, {@code newCall(..).execute()}, are made for virtual
 * threads. A call runs on its caller, as in OkHttp, except for the parts that could harm other
 * calls.
 *
 * <pre>{@code
 * OkHttpClient client = BlockingOkHttpClient.wrap(okHttpClient);
 * try (Response response = client.newCall(request).execute()) {
 *   return response.body().string();
 * }
 * }</pre>
 *
 * <p>It shares the connection pool, dispatcher, cache and cookies of the client that it wraps, and
 * you may mix calls of both. {@code enqueue} and web sockets are OkHttp's own. Any number of
 * threads may use it, virtual and platform.
 *
 * <h2>What it adds</h2>
 *
 * <ul>
 *   <li>Before JDK 24, a waiting caller holds no carrier, even if many calls share few HTTP/2
 *       connections.
 *   <li>An interrupt ends its own call at once, with {@link java.io.InterruptedIOException}; the
 *       flag stays set. It never closes a socket that other calls use.
 *   <li>{@code callTimeout} and {@code cancel()} end a call in time wherever it is, also in a DNS
 *       lookup and in a write to a stalled connection. Before JDK 24, {@code cancel()} has an
 *       exception over HTTP/2: see below.
 *   <li>If no call on an HTTP/2 connection succeeded between a request and its timeout, the
 *       connection gets no further calls, because it may be dead.
 *   <li>Bytes that a server sends after an HTTP/1.1 response are never taken for the next response.
 *       If they have arrived, the next request uses another connection.
 *   <li>DNS lookups hold no carrier.
 *   <li>A call that is cancelled while its request is being sent returns its connection.
 *   <li>An HTTP/2 response that is shorter than its Content-Length fails.
 *   <li>A request that an HTTP/2 server says it did not process is resent, up to {@value
 *       CallEngine#REFUSALS} times, unless {@code retryOnConnectionFailure(false)} forbids it.
 *   <li>Over HTTP/2 sockets use TCP_NODELAY, so uploads do not wait for delayed acknowledgements.
 * </ul>
 *
 * <h2>Where your code runs</h2>
 *
 * <p>Interceptors, cache, cookies, authenticators, event listeners and {@code RequestBody.writeTo}
 * run on the caller's thread, with its thread-locals, scoped values and spans. They see the {@code
 * Call} that {@code newCall} returned. A worker thread talks to the server over HTTP/2, for callers
 * on platform threads, and, before JDK 24, for requests whose body has no known length.
 *
 * <h2>Differences from OkHttp</h2>
 *
 * <ul>
 *   <li>{@code Dns} runs on one of Heddle's threads, unless it implements {@code newCall} itself.
 *   <li>A thread that is interrupted reads no more of a body that OkHttp may cache, even if the
 *       bytes are there. Its flag is set again when the body is closed.
 *   <li>The caller reports to the listener what a worker does: at once while the caller waits for
 *       the response headers, and with its next read while a body arrives. {@code canceled} is
 *       called on the thread that cancels, as in OkHttp.
 *   <li>Listeners that are added to one call with {@code addEventListener} hear of what a worker
 *       does on the worker.
 *   <li>Before JDK 24, {@code Call.cancel()} over HTTP/2 is to be called from a platform thread. It
 *       is OkHttp's own and enters OkHttp's monitors, where a virtual thread holds its carrier. If
 *       all carriers are held so, the virtual threads of the JVM can stop for good. Interrupts,
 *       timeouts and {@link #close} are safe.
 *   <li>Before JDK 24, a worker also makes HTTP/1.1 calls whose request body has no known length,
 *       because OkHttp writes it in {@code synchronized}.
 *   <li>Where a worker reads the response body (HTTP/2 and such uploads before JDK 24, platform
 *       threads over HTTP/1.1), it reads at most 64 KiB ahead of the caller. An unclosed response
 *       keeps its worker if more is to come and there is no {@code callTimeout}.
 *   <li>A duplex call writes on its own thread, as in OkHttp. An interrupt during such a write
 *       closes the connection, which other calls may share.
 *   <li>An interrupt does not free a platform thread from a TLS handshake; nor, over HTTP/1.1, from
 *       reading the body of a response that a virtual thread received.
 *   <li>Where a worker talks to the server, an interrupt cancels the call. An interceptor that
 *       clears the flag can neither proceed again nor answer instead.
 *   <li>{@link #newBuilder()} builds plain clients; see there.
 * </ul>
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
   * Returns a client with the settings of the given client.
   *
   * @param client any client; a {@code BlockingOkHttpClient} is returned as it is
   */
  public static BlockingOkHttpClient wrap(OkHttpClient client) {
    return client instanceof BlockingOkHttpClient blocking ? blocking : builder(client).build();
  }

  /**
   * Returns a builder for a client with the settings of the given client and further ones.
   *
   * @param client any client
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
   * Returns a builder with the settings of this client. It builds a plain {@link OkHttpClient},
   * because the builder's class is OkHttp's. Calls of that client keep the guarantees of this
   * client, including its limits and {@link #close}, with six exceptions. {@link #wrap} of the new
   * client restores them, but without the limits and the close of this client:
   *
   * <ul>
   *   <li>An interceptor that is added last runs again each time a refused request is resent.
   *   <li>A network interceptor that is added last runs on the worker over HTTP/2 and for platform
   *       threads. One that is added before the others runs on the caller.
   *   <li>A new event listener hears on the worker what the worker does. With OkHttp 4, the limits
   *       do not apply to its calls, and {@link #close} does not end them.
   *   <li>A new {@code Dns} runs on the caller's thread, where it may hold a carrier; nothing ends
   *       it early.
   *   <li>If a network interceptor that is added last clears the interrupt flag and rethrows,
   *       OkHttp repeats the request, and the interrupt is lost.
   *   <li>New {@code protocols}: the sockets and the limit per host stay those for the old ones.
   * </ul>
   */
  @Override
  public OkHttpClient.Builder newBuilder() {
    OkHttpClient.Builder builder = super.newBuilder();
    engine.install(builder, this);
    return builder;
  }

  /**
   * Cancels the running calls of {@code execute()}, of this client and of those rebuilt from it.
   * Further calls fail with {@link java.io.IOException}. Does not wait. The dispatcher, connection
   * pool and cache, which the wrapped client shares, are left alone. Closing is not needed at the
   * end of a program, nor to free threads: idle workers end by themselves.
   *
   * @throws RuntimeException if the listener of a call threw when it was told; all calls are
   *     cancelled first
   */
  @Override
  public void close() {
    engine.close();
  }

  /**
   * Returns the number of calls of {@code execute()} that are running and do not wait at a limit.
   */
  @Override
  public int inFlight() {
    return engine.executing(false);
  }

  /** Returns the number of calls that wait at a limit. */
  @Override
  public int waiting() {
    return engine.executing(true);
  }

  /** Returns what each call waits for. A call at its body may wait for nothing. */
  @Override
  public String toString() {
    CallReport report = new CallReport("BlockingOkHttpClient", this);
    engine.tell(report);
    return report.toString();
  }
}
