/**
 * Jetty's {@code HttpClient} with blocking calls and streams for virtual threads.
 *
 * <p>Start with {@link io.heddle.jetty.BlockingJettyClient}.
 *
 * <h2>What runs where</h2>
 *
 * <ul>
 *   <li><b>Listeners, cookie stores and authentications</b> may block. From the first of them on,
 *       the client opens <i>blocking</i> connections: everything that arrives on one is handled on
 *       a virtual thread. This is permanent, and applies to all requests of the client. Existing
 *       connections are not used again; on HTTP/2 they keep their streams, and no longer count. Use
 *       a separate client for requests with listeners if other calls need low latency. Without such
 *       code, a selector thread reads, parses and signals, and no other thread is needed.
 *   <li><b>These must not wait, with any client:</b> a request's listeners for commit, content and
 *       success. Jetty runs them wherever bytes are flushed, which may be an I/O thread.
 *   <li><b>These must decide from memory and not wait:</b> listeners in {@code
 *       HttpClient.getRequestListeners()}, connection listeners, and content decoders. Jetty does
 *       not report them to anybody. Or set the transport's invocation type to {@code BLOCKING}
 *       before the client starts.
 *   <li><b>Request bodies</b> from a stream, a file or your own {@code Request.Content} are read on
 *       a virtual thread of their own, and may block. The call's timeout applies meanwhile. {@code
 *       rewind} and {@code getLength} run where Jetty calls them.
 * </ul>
 *
 * <p>What such code throws ends its call. Jetty logs what a listener throws. If your authentication
 * throws, {@link io.heddle.jetty.BlockingResponseListener#get} fails.
 *
 * <h2>Executors</h2>
 *
 * Without an executor of yours, the client creates its own, the same on JDK 21 and later: a {@code
 * QueuedThreadPool} of platform threads that implement {@link io.heddle.IoThread}, with an executor
 * of virtual threads for user code. A burst of 200 calls makes it 20 to 30 platform threads on two
 * cores, most of them to open connections; stock Jetty makes 90 to 200. If you set an executor:
 *
 * <ul>
 *   <li>Use a {@code QueuedThreadPool}, with {@code setVirtualThreadsExecutor} if there are
 *       listeners. Without that, listeners run on the pool's threads, as in Jetty.
 *   <li>Do not use a {@code VirtualThreadPool}. The selectors then hold a carrier each, on any JDK
 *       (jetty.project #12256), and on JDK 21 whatever pins a listener holds one more.
 *   <li>Blocking calls on I/O threads are only detected if the threads implement {@link
 *       io.heddle.IoThread}.
 * </ul>
 *
 * <h2>Connections</h2>
 *
 * On HTTP/1.1 a connection carries one call, so calls wait for the connections per destination:
 * 256, where Jetty has 64. Set the number of calls that the server can handle at a time. On HTTP/2
 * a few connections suffice, because each carries as many calls as the server allows, 100 or more.
 * With Jetty's pool, concurrent first calls open one connection each, up to the limit: set 1 to 4.
 *
 * <h2>How it works</h2>
 *
 * {@link io.heddle.jetty.BlockingJettyClient} is a subclass of {@code HttpClient}. It creates
 * requests of a subclass of Jetty's, which redirects and authentication copy as such. Redirects,
 * authentication, cookies, decoding and connections are Jetty's own.
 *
 * <pre>{@code
 * caller                                        I/O thread (JettyIoThread)
 *   Request.send, GET, FORM → JettyCall
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
 * <h2>Roles</h2>
 *
 * The same in every adapter, in the same order.
 *
 * <pre>{@code
 * Call          JettyCall, one call however often it is sent; JettyRequest, one request of it,
 * with its QueueTurn, its SentHead and its JettyAbort
 * Exchange      JettyExchange
 * RequestBody   JettyRequestBody
 * ResponseBody  JettyResponseBody
 * Failures      JettyFailures
 * Lanes         QueueGate and JettyPools: the queue and the connections are Jetty's own
 * Resolver      JettyResolver: around Jetty's own resolver
 * IoThread      JettyIoThread
 * Internals     JettyInternals
 * }</pre>
 *
 * <p>Particular to Jetty:
 *
 * <ul>
 *   <li>{@code BlockingResponseListener} and {@code BlockingRequestContent}: subclasses of Jetty's
 *       stream classes, because Jetty does not tell a client what happens to its own
 *   <li>{@code QueueGate}: waits at a full queue
 *   <li>{@code ConnectAttempt}: ends with the last request that waits for it
 *   <li>{@code JettyPools}: lets go of connections that take no further requests
 *   <li>{@code Http2Watch} and {@code Http2Session}: what Jetty does not tell of HTTP/2
 *   <li>{@code PumpedContent}: bodies that block
 *   <li>{@code UserCode} and its companions: blocking and non-blocking connections
 *   <li>{@code NotedAuthentications}: Jetty does not catch what is thrown when it looks up an
 *       authentication, or (in {@code PumpedContent}) rewinds a body for one
 * </ul>
 */
@NullMarked
package io.heddle.jetty;

import org.jspecify.annotations.NullMarked;
