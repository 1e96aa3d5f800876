/**
 * What a service team runs before it adopts Heddle: load against a server, with stock clients
 * beside ours, and the proof that nothing pins.
 *
 * <pre>{@code
 * Bench                     the command line
 *   RunCommand              the main job: N callers, stock and Heddle, one table, one verdict
 *   ReportCommand           all scenarios, and a report; PageCommand makes its page anew
 *
 * contestants               who is compared: a class for each library
 * scenarios                 LoadPart       closed loops, open loops, many calls at once
 *                           PayloadPart    bodies, sent and received, plain and over TLS
 *                           ServicePart    a service, while one that it calls turns slow
 *                           LoomPart       a front end that calls three back ends in a row
 *                           Turns          who takes turns, and how often; a cell for each
 *                           Fit            what the machine can take; loads are scaled or refused
 * load                      loops of calls, the JVMs that make them, and the server
 * measure                   CPU, memory, threads, pins, latencies; a run's figures, their medians
 *                           and intervals (Spread), and the ratios of pairs (Ratio)
 * report                    report.html, run.json, cells.csv, ratios.csv; what was promised
 * jmh                       benchmarks of core and of clients
 * pinning                   the proof that nothing pins
 * servers                   calls to servers that people run, such as nginx; what fails
 *
 * this JVM                  a JVM for each contestant        a JVM for the server
 *   Crew                      Worker                           TargetServer
 *     WorkerProcess  ─Task─▶    SteadyClient, WarmUp             TargetHttp1, TargetHttp2
 *                  ◀Figures─    ClosedLoop, OpenLoop,   ─HTTP─▶  TargetControl: when it answers
 *                                 HeldLoad; Strace
 *                               Tally: latencies, errors
 *                               Meter: CPU, heap, threads, pins
 *   callers         ─────────────────────HTTP───────▶  a JVM for a service
 *                                                        FrontServer: Jetty, Tomcat, Undertow
 *                                                        FrontWork: calls A and B ──▶ TargetServer
 * }</pre>
 *
 * <p>A {@code Contestant} is a library, a mode and a wire. Contestants that are compared take
 * turns, round by round, each in its own JVM, which stays, as its client does; what is compared is
 * the ratio of each pair.
 */
@NullMarked
package io.heddle.bench;

import org.jspecify.annotations.NullMarked;
