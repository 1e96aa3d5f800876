/**
 * The JDK's {@code HttpClient} with deadlines over whole calls, for virtual threads. Calls wait
 * where the JDK's client fails them.
 *
 * <p>Start with {@link io.heddle.jdk.BlockingJdkHttpClient}.
 *
 * <h2>What runs where</h2>
 *
 * <p>User code runs where the JDK runs it: on the caller, or on threads of the client's executor.
 * On virtual threads run: what a deadline ends, writers of bodies, and over HTTP/2 other body
 * publishers. One daemon thread per JVM keeps the time.
 *
 * <h2>How it works</h2>
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
 * <p>The JDK's client already blocks well, so this package wraps its {@code send}. There is no
 * bridge from callbacks. Of the roles that every adapter has there are {@code JdkExchange}, {@code
 * JdkResponseBody} with {@code JdkResponseStream}, {@code JdkFailures} and {@code JdkInternals}.
 */
@NullMarked
package io.heddle.jdk;

import org.jspecify.annotations.NullMarked;
