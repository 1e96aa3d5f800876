/**
 * {@code AsyncHttpClient} (AHC) for code that blocks, on AHC's own Netty engine, for virtual
 * threads.
 *
 * <p>AHC has no synchronous interface; its users block on the futures of the asynchronous one.
 * {@link io.heddle.ahc.BlockingAhcClient} implements that interface with futures that block well,
 * and has blocking calls beside it:
 *
 * <pre>{@code
 * caller                                        event loop (AhcIoThread)
 *   BlockingAhcClient.execute, stream → AhcCall
 *     → CallLimits.enter              parks     Http2Connection → Lane: streams
 *     → AhcExchange.start                       name look-up (HostResolver), connect, TLS
 *                                               AhcChannel: connection, stream, how to end it
 *     → AhcRequestBody.write          parks     AhcRequestBody.transferTo, pump
 *     ← StreamingResponse             parks     StreamExchange.onHeadersReceived
 *   AhcResponseBody.read              parks     onBodyPartReceived, onCompleted
 *                                     demand →  ReadGate
 *   close → release, or abort: HTTP/1.1 closes the connection, HTTP/2 resets the stream
 * }</pre>
 *
 * <p>The roles that every adapter has: {@code AhcExchange} (native callbacks to {@code
 * io.heddle.core.Exchange}; one subclass per thing that a caller can wait for), {@code
 * AhcRequestBody}, {@code AhcResponseBody}, {@code AhcFailures}. What is particular to AHC:
 * handlers of our own in its pipelines ({@code Http1Connection}, {@code Http2Connection}, {@code
 * ReadGate}), since the engine has no back pressure, no wait for streams, and no patience with a
 * server that answers early; and {@code Http2Openings}, since it tells nobody but the starting
 * thread which stream is whose.
 *
 * <h2>What runs where</h2>
 *
 * The source of a request's body, request filters and signature calculators run on the caller's
 * thread; for a future, the source runs on a virtual thread, as it does when it is wanted once
 * more, and so do the request filters of a request that is sent again. A {@code NameResolver} runs
 * on one of the client's resolver threads. All else that AHC calls by itself runs on an event loop,
 * as AHC has it: an {@code AsyncHandler} of the user's, response filters, exception filters, cookie
 * stores, keep-alive strategies, TLS callbacks. Those must decide from memory and not wait. A
 * blocking call of this package there fails at once.
 *
 * <p>Nothing of the blocking calls themselves runs user code on an event loop: who uses {@code
 * execute} and {@code stream}, and none of the hooks above, has none there.
 *
 * <p>The engine runs on the JDK's selectors, epoll or io_uring, as the configuration says, and as
 * Netty's libraries are on the class path.
 */
@NullMarked
package io.heddle.ahc;

import org.jspecify.annotations.NullMarked;
