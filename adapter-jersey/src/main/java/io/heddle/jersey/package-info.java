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
 * <p>{@code ClientThreads} makes the threads of {@code async()} and {@code rx()} virtual. {@code
 * Boundaries} gives a multipart entity its boundary before Jersey's connector takes the fields.
 *
 * <h2>Roles</h2>
 *
 * The same in every adapter, in the same order.
 *
 * <pre>{@code
 * Call          CallProperties: what the properties of one call ask for
 * Exchange      as in io.heddle.apache
 * RequestBody   as in io.heddle.apache
 * ResponseBody  as in io.heddle.apache; around it BrokenBodies
 * Failures      none: Jersey wraps what Apache throws in a ProcessingException
 * Lanes         as in io.heddle.apache
 * Resolver      as in io.heddle.apache
 * IoThread      as in io.heddle.apache
 * Internals     JerseyInternals
 * }</pre>
 */
@NullMarked
package io.heddle.jersey;

import org.jspecify.annotations.NullMarked;
