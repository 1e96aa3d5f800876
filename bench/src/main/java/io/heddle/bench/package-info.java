/**
 * What a service team runs before it adopts Heddle: load against a server, with stock clients
 * beside ours, and the proof that nothing pins.
 *
 * <pre>{@code
 * Bench                 the command line
 *   RunCommand          warms up and measures one Contestant after the other
 *     TargetProcess     the server, TargetServer, in a JVM of its own; or a URL of the user's
 *     Contestant        a client to measure: stock Apache, Heddle on HTTP/1.1, on HTTP/2
 *     ClosedLoop        N virtual threads, each makes one call after the other
 *       Meters          CPU, allocation, platform threads, carriers, pins
 *     ResultTable       one line for each contestant, and the verdict
 * }</pre>
 */
@NullMarked
package io.heddle.bench;

import org.jspecify.annotations.NullMarked;
