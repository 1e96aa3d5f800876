/**
 * Jersey's JAX-RS client on Heddle's Apache connection manager, for virtual threads.
 *
 * <p>Jersey discovers {@link io.heddle.jersey.HeddleConnectorProvider}, a {@code
 * ConnectorProvider}. It builds a {@link io.heddle.apache.BlockingConnectionManager} from a
 * client's settings and passes it to Jersey's connector for Apache. A call is then Jersey's code
 * and Apache's classic code, on the caller's thread, down to the connection:
 *
 * <pre>{@code
 * caller                                            I/O thread (heddle-apache)
 *   Invocation.invoke, filters, interceptors
 *     → Jersey's connector for Apache
 *         → CallProperties                          deadline, cancellation, broken bodies
 *             → Apache's classic chain              redirects, authentication, retries
 *                 → BlockingConnectionManager  parks     see io.heddle.apache
 *   Response.readEntity                    parks
 *   close → release, or abort
 * }</pre>
 *
 * <p>{@code JerseyExchange}, {@code JerseyRequestBody} and {@code JerseyResponseBody} do not exist:
 * those of {@code io.heddle.apache} do the work. {@code ClientThreads} makes the threads of {@code
 * async()} and {@code rx()} virtual.
 */
@NullMarked
package io.heddle.jersey;

import org.jspecify.annotations.NullMarked;
