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
 * caller (virtual thread)                          the client's threads
 *   BlockingJdkHttpClient.send
 *     JdkCall.send, for each attempt
 *       Origin.lookUp                       parks
 *       Origin.enter: streams, connections  parks
 *       JdkExchange.send
 *         the wrapped client's send         parks
 *           SentRequest                            Origin.warmUp  ← a connection stands
 *           WrittenBody ▶ JdkUpload         bytes▶
 *                                                  JdkResponseBody ← head, bytes, end
 *     JdkResponseStream.read                parks  bytes ← JdkResponseBody
 *   deadline | read timeout → JdkExchange.ring
 *   close | a future that is cancelled → JdkExchange.cancel
 * }</pre>
 *
 * <p>The JDK's client already blocks well, so this package wraps its {@code send}. There is no
 * bridge from callbacks. A {@code JdkCall} is one call, a {@code JdkExchange} one attempt of it. Of
 * the other roles that every adapter has there are {@code JdkResponseBody} with {@code
 * JdkResponseStream}, {@code JdkFailures} and {@code JdkInternals}. No caller writes a request body
 * here: {@code JdkUpload} stands between the user's publisher and the client.
 */
@NullMarked
package io.heddle.jdk;

import org.jspecify.annotations.NullMarked;
