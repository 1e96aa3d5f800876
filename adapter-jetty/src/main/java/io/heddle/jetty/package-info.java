/**
 * Jetty's {@code HttpClient} with blocking calls and streams for virtual threads.
 *
 * <p>The seam is a subclass: {@link io.heddle.jetty.BlockingJettyClient} is an {@code HttpClient},
 * for all that takes one, and makes requests of a subclass of Jetty's, which redirects and
 * authentication copy as such. Redirects, authentication, cookies, decoding and connections are
 * Jetty's own.
 *
 * <pre>{@code
 * caller                                        I/O thread (JettyIoThread)
 *   Request.send, GET, FORM
 *     → JettyRequest        takes a place parks  QueueGate.leave
 *     → HttpDestination     sends, if it can    or this does, once a connection is free
 *     → JettyExchange.await              parks  WholeResponse.onComplete
 *     ← response
 *   Request.send(BlockingResponseListener)
 *   BlockingRequestContent.write         parks  JettyRequestBody.read, demand
 *   BlockingResponseListener.get         parks  onHeaders
 *   JettyResponseBody.read               parks  onContent, demanded by the reader itself
 *   close → abort: HTTP/1.1 closes the connection, HTTP/2 resets the stream
 * }</pre>
 *
 * <p>The roles that every adapter has: {@code JettyExchange} (listeners to {@code
 * io.heddle.core.Exchange}), {@code JettyRequestBody}, {@code JettyResponseBody}, {@code
 * JettyFailures}. What is particular to Jetty: {@code BlockingResponseListener} and {@code
 * BlockingRequestContent}, subclasses of Jetty's two classes for streams, as Jetty gives a client
 * no way to see what becomes of its own; {@code QueueGate} (a full queue is waited for) and {@code
 * ConnectAttempt} (which ends with the last request that waits for it); {@code PumpedContent}
 * (bodies that block); {@code UserCode} and what goes with it (below).
 *
 * <h2>What runs where</h2>
 *
 * Our listeners, and Jetty's own, only look and signal. So connections are made
 * <i>non-blocking</i>: a selector's thread reads, parses and signals, and no other is needed. A
 * listener, cookie store or authentication of the user's may block. From the first of them on, a
 * client makes other connections, <i>blocking</i> ones: what comes on them is handled on a virtual
 * thread each. This is for good, and for all requests of that client: a client of its own for
 * requests with listeners keeps the other's calls short. Connections that were there before are not
 * used again; on HTTP/2 they keep the streams that they have, and count no longer.
 *
 * <p>Of a request's listeners, those for its commit, content and success are run by Jetty wherever
 * bytes are flushed, be it an I/O thread: let them not wait, whatever the client. Some code Jetty
 * gives to nobody to know of: listeners that are added to {@code HttpClient.getRequestListeners()},
 * connection listeners, and content decoders. Let those decide from memory and not wait; or set the
 * transport's invocation type to {@code BLOCKING} before the client starts.
 *
 * <p>A body that is read from a stream, a file or a {@code Request.Content} of the user's is read
 * on a virtual thread of its own, so that it may block: neither an I/O thread nor the caller, whose
 * timeout holds meanwhile, waits for it. Its {@code rewind} and {@code getLength} run where Jetty
 * calls them.
 *
 * <p>What such code throws ends its call. Jetty catches most of it; it does not where it looks up
 * an authentication and where it rewinds a body for one, so these are wrapped ({@code
 * NotedAuthentications}, {@code PumpedContent}). A challenge that is not taken up since the user's
 * authentication has thrown fails {@link io.heddle.jetty.BlockingResponseListener#get}. What a
 * listener throws Jetty logs.
 *
 * <h2>Executors</h2>
 *
 * A client that is given no executor makes its own, the same on JDK 21 and later: a {@code
 * QueuedThreadPool} of platform threads that know themselves as I/O threads, with an executor of
 * virtual threads for users' code. A burst of 200 calls makes it 20 to 30 platform threads on two
 * cores, most of them to open connections, where stock Jetty makes 90 to 200. Who sets another:
 *
 * <ul>
 *   <li>should set a {@code QueuedThreadPool}, with {@code setVirtualThreadsExecutor} if there are
 *       listeners. Without, they run on the pool's threads, as they do in Jetty.
 *   <li>should not set a {@code VirtualThreadPool}: the selectors then hold a carrier each, on any
 *       JDK (jetty.project #12256), and on JDK 21 whatever pins a listener holds one more.
 *   <li>does without the check that a blocking call is not made on an I/O thread, unless the
 *       threads implement {@link io.heddle.IoThread}.
 * </ul>
 *
 * <h2>Connections</h2>
 *
 * On HTTP/1.1 a connection is a call in flight, so the number of connections per destination is
 * what a service's virtual threads wait for: 256 here, where Jetty has 64. Set it to the number of
 * calls that the other side is ready to serve at a time. On HTTP/2 some connections are plenty, as
 * each serves as many calls as the server allows, 100 or more; with Jetty's pool a burst of first
 * calls opens one connection each, up to the limit, before it knows that: set 1 to 4.
 */
@NullMarked
package io.heddle.jetty;

import org.jspecify.annotations.NullMarked;
