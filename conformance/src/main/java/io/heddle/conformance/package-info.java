/**
 * The rules that every adapter keeps, as tests, and what they need: a driver per library, and a
 * server that makes the faults.
 *
 * <pre>{@code
 * <Lib>Http11Test ─ is a ─▶ Http11Suite ─ the rules of this wire, by groups ─▶ ExchangeRules, …
 *       │ has a                  │ each rule, on a virtual thread, within its time limit
 *       ▼                        ▼
 *   ClientDriver ◀─ Client ─── Kit ──── Script (in the URI) ───▶ FaultServer
 *       └ the adapter under test ──── real sockets ────────────▶ Seen, what the server saw
 * }</pre>
 *
 * <p>The rules are written down in {@code CONFORMANCE.md}; each has a number, and the one test that
 * proves it bears that number as {@link io.heddle.conformance.Rule @Rule}. What an adapter cannot
 * keep it says, with the reason, as {@link io.heddle.conformance.Deviation @Deviation}.
 *
 * <h2>Threads</h2>
 *
 * A rule runs on a virtual thread; its callers are virtual threads too, unless the rule is about
 * platform threads. The server has two threads of its own, whose names begin with {@code
 * fault-server}, however many requests wait in it. After each rule nothing else may be left: no
 * lease, no thread, no connection, no descriptor.
 */
@NullMarked
package io.heddle.conformance;

import org.jspecify.annotations.NullMarked;
