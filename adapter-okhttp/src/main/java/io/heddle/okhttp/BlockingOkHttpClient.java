package io.heddle.okhttp;

import java.util.Objects;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;

/**
 * An {@link OkHttpClient} whose blocking calls are made for virtual threads: {@code
 * newCall(..).execute()} parks, and OkHttp's own blocking code runs on a worker thread.
 *
 * <pre>{@code
 * OkHttpClient client = BlockingOkHttpClient.wrap(okHttpClient);
 * try (Response response = client.newCall(request).execute()) {
 *   return response.body().string();
 * }
 * }</pre>
 *
 * <p>It shares the connection pool, dispatcher, cache and cookies of the client that it wraps, and
 * calls of both may be mixed; but as a rule they do not use each other's connections. {@code
 * enqueue} and web sockets are OkHttp's own.
 *
 * <h2>What it adds</h2>
 *
 * <ul>
 *   <li>Before JDK 24 a caller holds no carrier, however many calls wait on however few HTTP/2
 *       connections.
 *   <li>An interrupt ends its own call, at once, with {@link java.io.InterruptedIOException} and
 *       the flag kept. It never closes a socket that other calls use.
 *   <li>{@code callTimeout} ends a call in time wherever it is: in a name look-up, too, and in a
 *       write to a connection that has stalled.
 *   <li>{@code cancel()} and interrupt wake the caller wherever it is.
 *   <li>Where many calls at once find no connection to a server that may speak HTTP/2, one of them
 *       opens it for all, and they heed how many streams the server allows.
 *   <li>A call that is cancelled while its request is being sent gives its connection back.
 *   <li>Its connections have TCP_NODELAY, which OkHttp leaves off: uploads over HTTP/2 do not wait
 *       for delayed acknowledgements.
 * </ul>
 *
 * <h2>What is different</h2>
 *
 * <ul>
 *   <li>Interceptors, listeners, authenticators and {@code RequestBody.writeTo} run on a worker:
 *       thread-locals are not there, unless {@link BlockingOkHttpClientBuilder#context} carries
 *       them over.
 *   <li>Listeners and interceptors are handed OkHttp's own {@code Call}, which is not the instance
 *       that {@code newCall} returned.
 *   <li>The worker reads a response's body ahead of the caller, at most 64 KiB, so events of a body
 *       may come before the caller reads it. To close a body that has stalled cancels the call.
 *   <li>What a duplex call writes it writes itself, on its own thread, as in OkHttp.
 *   <li>A response that nobody closes keeps its worker and its connection, if more than 64 KiB of
 *       it are to come; OkHttp does not find it out and say so.
 *   <li>{@link #newBuilder()} makes plain clients; see there.
 * </ul>
 *
 * <p>Any number of threads may use it, virtual and platform ones.
 */
public final class BlockingOkHttpClient extends OkHttpClient implements AutoCloseable {

  private final OkHttpClient engine;
  private final CallWorkers workers;

  /**
   * A client.
   *
   * @param seen the user's settings
   * @param engine makes the calls that workers run
   */
  BlockingOkHttpClient(OkHttpClient.Builder seen, OkHttpClient engine, CallWorkers workers) {
    super(seen);
    this.engine = engine;
    this.workers = workers;
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
    return new BlockingCall(workers, engine.newCall(request));
  }

  @Override
  public WebSocket newWebSocket(Request request, WebSocketListener listener) {
    return engine.newWebSocket(request, listener);
  }

  /**
   * A builder with the settings of this client. What it builds is a plain {@link OkHttpClient}, as
   * the builder's class is OkHttp's; yet its first interceptor moves each call that a virtual
   * thread makes to a worker of this client, body included. So a framework that rebuilds the client
   * it is given still keeps callers off sockets and locks. {@link #wrap} of the result gives back
   * the rest: prompt {@code cancel()} during a name look-up, the limits, calls of platform threads.
   */
  @Override
  public OkHttpClient.Builder newBuilder() {
    OkHttpClient.Builder builder = super.newBuilder();
    builder.interceptors().add(0, new HandOver(workers));
    builder.networkInterceptors().add(0, CancelCheck.INSTANCE);
    return builder;
  }

  /**
   * Cancels the blocking calls of this client that are under way, and refuses further ones with
   * {@link java.io.IOException}. Does not wait. It leaves what is shared with the client that was
   * wrapped: dispatcher, connection pool, cache. Not needed for the end of a program, nor to free
   * threads: workers end when idle.
   */
  @Override
  public void close() {
    workers.close();
  }
}
