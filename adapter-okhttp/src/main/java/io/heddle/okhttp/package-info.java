/**
 * An {@code OkHttpClient} whose blocking calls run on their callers, but for what would harm
 * others, for virtual threads.
 *
 * <pre>{@code
 * caller                                              worker
 *   Call.execute of OkHttp's
 *     CallEngine.First: limits                 parks
 *     … the user's interceptors …
 *     CallEngine.Last: what was refused goes again
 *     … OkHttp: cookies, cache, connect; OffCarrierDns parks
 *     … the user's network interceptors …
 *     HandOver
 *       HTTP/1.1: goes on here; InlineSource reads the body
 *       HTTP/2:   OkHttpExchange.execute       ─────▶ sends the head
 *                 OkHttpRequestBody.write      bytes▶ sends the body
 *                 LiveCall tells listeners     ◀───── events
 *                                              ◀───── head
 *                 InlineSource, or BodyPump    ◀───── BodyPump, before JDK 24
 *   interrupt | cancel | call timeout → Call.cancel of OkHttp's; the caller leaves
 * }</pre>
 *
 * <p>OkHttp has no asynchronous engine: its {@code enqueue} is a pool of threads over blocking
 * sockets. So there is nothing to bridge to: stock code blocks on the caller wherever an interrupt
 * of that thread, or a wait of it, is nobody else's affair, and on a worker elsewhere.
 *
 * <p>The roles that every adapter has: {@code OkHttpExchange}, {@code OkHttpRequestBody}, {@code
 * OkHttpResponseBody} (from {@code InlineSource}, or from a worker's {@code BodyPump}), {@code
 * OkHttpFailures}, {@code OkHttpInternals}.
 *
 * <h2>What runs where</h2>
 *
 * <p>User code runs on the caller, with three exceptions: {@code Dns}, on threads of {@code
 * OffCarrierDns}; {@code EventListener.canceled}, on the thread that cancels, which is okio's
 * watchdog if the call timeout does; and what OkHttp itself runs on its own threads, such as {@code
 * connectStart}. The watchdog ends all timeouts, so it is an I/O thread: a blocking call on it
 * fails at once.
 *
 * <p>Workers are platform threads before JDK 24, virtual threads from then on.
 */
@NullMarked
package io.heddle.okhttp;

import org.jspecify.annotations.NullMarked;
