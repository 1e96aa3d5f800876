/**
 * {@code AsyncHttpClient} (AHC) for code that blocks, on AHC's own Netty engine, for virtual
 * threads.
 *
 * <p>Start with {@link io.heddle.ahc.BlockingAhcClient}. It implements AHC's asynchronous interface
 * with futures that are made for blocking, and adds blocking calls, which AHC lacks.
 *
 * <h2>What runs where</h2>
 *
 * <ul>
 *   <li>On the caller's thread: the source of a request body, request filters and signature
 *       calculators.
 *   <li>On a virtual thread: the source of a request body for a future, or when the body is needed
 *       again; request filters of a request that is resent.
 *   <li>On a resolver thread of the client: a {@code NameResolver}.
 *   <li>On an event loop, as in AHC: {@code AsyncHandler}s, response filters, exception filters,
 *       cookie stores, keep-alive strategies, TLS callbacks. They must decide from memory and not
 *       wait. A blocking call of this package fails there at once.
 * </ul>
 *
 * <p>If you use only {@code execute} and {@code stream}, and none of the event loop's hooks, none
 * of your code runs on an event loop.
 *
 * <p>The engine uses the JDK's selectors, epoll or io_uring, depending on the configuration and on
 * Netty's libraries on the class path.
 *
 * <h2>How it works</h2>
 *
 * <pre>{@code
 * caller                                        event loop (AhcIoThread)
 *   BlockingAhcClient.execute, stream → AhcCall; executeRequest → HandlerFuture
 *     → AhcLanes.enter                parks     Http2Connection → Lane: streams
 *     → AhcExchange.start → AhcEngine           name look-up (HostResolver), connect, TLS
 *                                               AhcChannel → Leg: connection, stream
 *     → AhcRequestBody.write          parks     BodyAttempt.transferTo, pump
 *     ← StreamingResponse             parks     StreamExchange.onHeadersReceived
 *   AhcResponseBody.read              parks     onBodyPartReceived, onCompleted
 *                                     demand →  ReadGate
 *   close → release, or abort: HTTP/1.1 closes the connection, HTTP/2 resets the stream
 * }</pre>
 *
 * <h2>Roles</h2>
 *
 * The same in every adapter, in the same order.
 *
 * <pre>{@code
 * Call          AhcCall; HandlerFuture for those who do not wait
 * Exchange      AhcExchange, with one subclass per thing that a caller can wait for
 * RequestBody   AhcRequestBody
 * ResponseBody  AhcResponseBody
 * Failures      AhcFailures
 * Lanes         AhcLanes: it also keeps the limits of the configuration
 * Resolver      AhcResolver
 * IoThread      AhcIoThread
 * Internals     AhcInternals
 * }</pre>
 *
 * <p>Particular to AHC:
 *
 * <ul>
 *   <li>{@code HandlerFuture}, which is for users of futures what {@code AhcCall} is for a caller
 *       that waits.
 *   <li>{@code AhcChannel}, the way of an exchange through the engine, and {@code Leg}, one
 *       connection on it.
 *   <li>Handlers of ours in AHC's pipelines ({@code Http1Connection}, {@code Http2Connection},
 *       {@code ReadGate}), because the engine has no back pressure, does not wait for streams, and
 *       loses early responses.
 *   <li>{@code Http2Openings}, because the engine tells only the starting thread which stream
 *       belongs to which request.
 * </ul>
 */
@NullMarked
package io.heddle.ahc;

import org.jspecify.annotations.NullMarked;
