/**
 * The JDK's {@code HttpClient} with deadlines over whole calls, and waits in place of failures, for
 * virtual threads.
 *
 * <pre>{@code
 * caller (virtual thread)                        the client's threads
 *   BlockingJdkHttpClient.send
 *     Origin.lookUp                       parks
 *     Origin.enter: streams, connections  parks
 *     JdkExchange.send
 *       the wrapped client's send         parks
 *         SentRequest                            Origin.warmUp  ← a connection stands
 *         WrittenBody                     bytes▶
 *                                                JdkResponseBody ← head, bytes, end
 *     JdkResponseStream.read              parks  bytes ← JdkResponseBody
 *   deadline | read timeout | shutdownNow → JdkExchange.end, ring
 * }</pre>
 *
 * <p>The JDK's client blocks well by itself: this decorates its {@code send}. So there is no bridge
 * from callbacks, and of the roles that every adapter has there are {@code JdkExchange}, {@code
 * JdkResponseBody} with {@code JdkResponseStream}, {@code JdkFailures} and {@code JdkInternals}.
 *
 * <h2>What runs where</h2>
 *
 * <p>User code runs where the JDK runs it: on the caller, or on threads of the client's executor;
 * what a deadline ends, writers of bodies, and over HTTP/2 whatever else publishes one, on virtual
 * threads. One daemon thread of the JVM keeps the time.
 */
@NullMarked
package io.heddle.jdk;

import org.jspecify.annotations.NullMarked;
