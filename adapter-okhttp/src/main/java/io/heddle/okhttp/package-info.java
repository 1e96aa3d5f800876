/**
 * An {@code OkHttpClient} whose blocking calls keep callers off OkHttp's sockets and locks, for
 * virtual threads.
 *
 * <pre>{@code
 * caller                                       worker
 *   OkHttpClient.newCall(..).execute
 *     → limits, if there are any      parks
 *     → OkHttpExchange.start          ───────▶ Call.execute of OkHttp's: interceptors, the host's
 *     → OkHttpExchange.await          parks    ConnectionGate, look-up (WorkerDns), connect, TLS, …
 *     ← response                      ◀─────── head
 *   OkHttpResponseBody.read           parks ◀─ BodyPump.run: reads OkHttp's body
 *                                     demand ▶ BodyPump.request
 *   close → the worker closes OkHttp's body, or is freed by a cancel
 *   interrupt | deadline | cancel → Call.cancel of OkHttp's; the caller leaves
 * }</pre>
 *
 * <p>OkHttp has no asynchronous engine: its {@code enqueue} is a pool of threads over blocking
 * sockets. So is this. What it changes is which thread blocks: never the caller's.
 *
 * <p>The roles that every adapter has: {@code OkHttpExchange}, {@code OkHttpResponseBody} (with
 * {@code BodyPump}, its worker's side), {@code OkHttpFailures}. There is no {@code
 * OkHttpRequestBody}: a request body writes itself, on the worker, straight into OkHttp's sink.
 *
 * <h2>What runs where</h2>
 *
 * <p>All user code of a call runs on its worker, which may block: calls within interceptors and
 * authenticators work. The exception is {@code EventListener.canceled}, which runs on the thread
 * that cancels: a caller that gives up, or okio's watchdog, if the call timeout does. The watchdog
 * ends all timeouts, so it is an I/O thread: a blocking call on it fails at once.
 *
 * <p>Workers are platform threads before JDK 24, virtual threads from then on.
 */
@NullMarked
package io.heddle.okhttp;

import org.jspecify.annotations.NullMarked;
