/**
 * Apache's classic {@code HttpClient} on Apache's asynchronous engine, for virtual threads.
 *
 * <p>Start with {@link io.heddle.apache.BlockingHttpClients}.
 *
 * <h2>What runs where</h2>
 *
 * User code runs on the caller's thread, with two exceptions:
 *
 * <ul>
 *   <li>A {@code DnsResolver} runs on one of the manager's resolver threads.
 *   <li>TLS callbacks ({@code HostnameVerifier}, {@code TrustManager}) run on an I/O thread,
 *       because the engine runs a handshake in one piece. They must decide from memory and not use
 *       the network. What they throw ends their handshake only ({@code GuardedSession}).
 * </ul>
 *
 * <h2>How it works</h2>
 *
 * {@link io.heddle.apache.BlockingConnectionManager} implements Apache's {@code
 * HttpClientConnectionManager}. {@code HttpClientBuilder} and everything above it (interceptors,
 * redirects, authentication, retries, caching) is Apache's classic code on the caller's thread. A
 * lease holds a connection of the I/O reactor, presented as a blocking one:
 *
 * <pre>{@code
 * caller                                            I/O thread (ApacheIoThread)
 *   HttpClient.execute
 *     → BlockingConnectionManager.lease   parks     pool, or a stream of a shared HTTP/2 connection
 *     → BlockingConnectionManager.connect parks     look-up (HostResolver), connect, TLS, SETTINGS
 *     → ApacheEndpoint.execute
 *         → HttpRequestExecutor.execute, on ClassicConnection
 *             → sendRequestHeader, Entity           ApacheExchange.produceRequest, produce (1)
 *             ← receiveResponseHeader     parks     ApacheExchange.consumeResponse
 *     ← response
 *   ApacheResponseBody.read               parks     ApacheExchange.consume, streamEnd
 *   close → release, or abort: HTTP/1.1 closes the connection, HTTP/2 resets the stream
 *
 * (1) Over HTTP/1.1 without TLS on the caller, as far as the socket has room.
 * }</pre>
 *
 * <h2>Roles</h2>
 *
 * The same in every adapter, in the same order.
 *
 * <pre>{@code
 * Call          none: the call is Apache's chain. CallDeadline has its deadline, ApacheEndpoint its
 *               connection
 * Exchange      ApacheExchange
 * RequestBody   ApacheRequestBody
 * ResponseBody  ApacheResponseBody
 * Failures      ApacheFailures
 * Lanes         ApacheLanes, over Apache's pool; SharedConnections on each route
 * Resolver      ConnectionOpener, which asks Apache's DnsResolver
 * IoThread      ApacheIoThread
 * Internals     ApacheInternals
 * }</pre>
 *
 * <p>Particular to Apache:
 *
 * <ul>
 *   <li>{@code ApacheEndpoint}: a lease, as the chain sees it
 *   <li>{@code ClassicConnection}: its exchanges, presented as a blocking connection
 *   <li>{@code LeaseConnector} and {@code ConnectionOpener}: how a lease gets its connection
 *   <li>{@code ReactorConnection}: one session of the {@code Reactor}
 *   <li>{@code ReactorSession}: what happens on that session, and the reset of one stream
 *   <li>{@code SharedConnections}: HTTP/2 connections that many callers use
 * </ul>
 */
@NullMarked
package io.heddle.apache;

import org.jspecify.annotations.NullMarked;
