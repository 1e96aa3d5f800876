/**
 * Apache's classic {@code HttpClient} on Apache's own asynchronous engine, for virtual threads.
 *
 * <p>The seam is Apache's own: {@link io.heddle.apache.BlockingConnectionManager} implements {@code
 * HttpClientConnectionManager}, so that {@code HttpClientBuilder} and everything above it, from
 * interceptors to redirects, authentication, retries and caching, is Apache's classic code, on the
 * caller's thread. What a lease gives out is a connection of the I/O reactor in the shape of a
 * blocking one:
 *
 * <pre>{@code
 * caller                                            I/O thread (IoReactorThread)
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
 * <p>The roles that every adapter has: {@code ApacheExchange} (native callbacks to {@code
 * io.heddle.core.Exchange}), {@code ApacheRequestBody}, {@code ApacheResponseBody}, {@code
 * ApacheFailures}. What is particular to Apache: {@code ApacheEndpoint} (a lease, as the chain has
 * one), {@code ClassicConnection} (its exchanges, in the shape of a blocking connection), {@code
 * LeaseConnector} and {@code ConnectionOpener} (how a lease gets its connection), {@code
 * ReactorConnection} (one session of the {@code Reactor}), {@code ReactorSession} (what happens on
 * it, and the reset of one stream), {@code SharedConnections} (HTTP/2 connections that many callers
 * use).
 *
 * <h2>What runs where</h2>
 *
 * User code runs on the caller's thread, with two exceptions. A {@code DnsResolver} runs on one of
 * the manager's resolver threads. TLS callbacks ({@code HostnameVerifier}, {@code TrustManager})
 * run on an I/O thread, as Apache's engine has it: the handshake is one uninterrupted piece of its
 * work; let them decide from memory and not ask the network. What they throw ends their handshake
 * and no more ({@code GuardedSession}).
 */
@NullMarked
package io.heddle.apache;

import org.jspecify.annotations.NullMarked;
