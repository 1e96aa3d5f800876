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
 * publishers, except the JDK's own of an array or a string. One daemon thread per JVM keeps the
 * time.
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
 * <h2>Roles</h2>
 *
 * The same in every adapter, in the same order.
 *
 * <pre>{@code
 * Call          JdkCall; JdkFuture for sendAsync
 * Exchange      JdkExchange, one attempt of a call. It runs the JDK's send on the caller, which
 *               parks well: there is no bridge from callbacks
 * RequestBody   JdkUpload: it stands between the user's publisher and the client, and no caller
 *               writes
 * ResponseBody  JdkResponseBody; JdkResponseStream, which the caller reads
 * Failures      JdkFailures
 * Lanes         Origin: it also keeps the limit of connections
 * Resolver      Origin.lookUp: the JDK takes no resolver, so the name is looked up before
 * IoThread      none: the threads are the JDK's. JdkInternals knows its selector thread
 * Internals     JdkInternals
 * }</pre>
 */
@NullMarked
package io.heddle.jdk;

import org.jspecify.annotations.NullMarked;
