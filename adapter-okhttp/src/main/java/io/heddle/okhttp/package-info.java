/**
 * OkHttp's client for virtual threads: blocking calls run on their callers, except for the parts
 * that could harm other calls.
 *
 * <p>Start with {@link io.heddle.okhttp.BlockingOkHttpClient}.
 *
 * <h2>What runs where</h2>
 *
 * <p>User code runs on the caller, with three exceptions:
 *
 * <ul>
 *   <li>{@code Dns} runs on threads of {@code OkHttpResolver}.
 *   <li>{@code EventListener.canceled} runs on the thread that cancels. For the call timeout that
 *       is okio's watchdog.
 *   <li>What OkHttp itself runs on its own threads, such as {@code connectStart}.
 * </ul>
 *
 * <p>The watchdog ends all timeouts, so it counts as an I/O thread: a blocking call on it fails at
 * once. Workers are platform threads before JDK 24, and virtual threads from then on.
 *
 * <h2>How it works</h2>
 *
 * <pre>{@code
 * caller                                              worker
 *   Call.execute of OkHttp's
 *     CallEngine.First: limits                 parks
 *     … the user's interceptors …
 *     CallEngine.Last: what was refused goes again
 *     … OkHttp: cookies, cache, connect
 *         OkHttpResolver                       parks
 *     … the user's network interceptors …
 *     HandOver
 *       HTTP/1.1, virtual: goes on here; InlineSource reads the body
 *       HTTP/2, or HTTP/1.1 and platform, or before JDK 24 a chunked upload:
 *                 OkHttpExchange.execute       ─────▶ sends the head
 *                 OkHttpRequestBody.write      bytes▶ sends the body
 *                 LiveCall tells listeners     ◀───── events
 *                                              ◀───── head
 *                 InlineSource, or BodyPump    ◀───── BodyPump, before JDK 24 or over HTTP/1.1
 *   interrupt | call timeout | close → Call.cancel of OkHttp's; the caller leaves
 *     before JDK 24 a virtual thread has a worker do that
 *   cancel → Call.cancel of OkHttp's, on the thread that asks for it
 * }</pre>
 *
 * <p>OkHttp has no asynchronous engine: its {@code enqueue} is a pool of threads on blocking
 * sockets. So stock code blocks on the caller wherever an interrupt of that thread, or its waiting,
 * affects no other call; elsewhere it blocks on a worker.
 *
 * <h2>Roles</h2>
 *
 * The same in every adapter, in the same order.
 *
 * <pre>{@code
 * Call          LiveCall: Call is OkHttp's own
 * Exchange      OkHttpExchange, where a worker runs OkHttp's blocking code
 * RequestBody   OkHttpRequestBody
 * ResponseBody  OkHttpResponseBody, from InlineSource, or from a worker's BodyPump
 * Failures      OkHttpFailures
 * Lanes         HostLimits: OkHttp itself chooses the connection, so only calls are counted
 * Resolver      OkHttpResolver, a Dns
 * IoThread      none: there is no engine. Okio's watchdog counts as one
 * Internals     OkHttpInternals
 * }</pre>
 */
@NullMarked
package io.heddle.okhttp;

import org.jspecify.annotations.NullMarked;
