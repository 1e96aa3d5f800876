/**
 * The parts of a blocking facade that are the same for every HTTP client: park and unpark,
 * deadlines, cancellation, and streaming with back pressure.
 *
 * <pre>{@code
 * caller (virtual thread)                  I/O thread of the library
 *   <Lib> client call
 *     → <Lib>Exchange starts the call   →  …
 *     → Exchange.await       parks         headers → Exchange.complete
 *     ← response                           bytes   → ResponseBodyPipe.offer
 *     ResponseBodyPipe.read  parks         demand  ← in batches of half the window
 *     RequestBodyPipe.write  parks         room    → RequestBodyPipe.drainTo
 *   interrupt | deadline | cancel | close → Canceller → the library's abort
 * }</pre>
 *
 * <h2>Threads</h2>
 *
 * Two roles touch an exchange. The <i>caller</i> starts it, waits for it and reads its body; any
 * thread may be one, virtual or platform, but one at a time. The <i>I/O thread</i> belongs to the
 * library (a reactor, an event loop, a selector) and brings what the caller waits for. A thread
 * that is always an I/O thread says so by implementing {@link io.heddle.IoThread}; it signals and
 * returns, and an attempt to wait on it fails at once with {@link IllegalStateException}. A third
 * party may cancel from anywhere.
 *
 * <h2>Locks</h2>
 *
 * None is held while anything here waits, and none is taken on the way of a request: hand-over is
 * one compare-and-set and one unpark. {@link io.heddle.core.HostResolver} guards its table of
 * running look-ups with a lock of its own, and {@link io.heddle.core.InFlightLimit} the queue of
 * those who wait; under them nobody is told of anything.
 *
 * <h2>Words</h2>
 *
 * Four verbs end something, in the names of every adapter:
 *
 * <ul>
 *   <li><b>cancel:</b> another thread ends a call: its caller wakes with a failure
 *   <li><b>abandon:</b> the caller itself gives up, interrupted or out of time
 *   <li><b>abort:</b> what either does to the library's own exchange: a connection is closed, a
 *       stream is reset, a request leaves a queue. It is what a {@link io.heddle.core.Canceller}
 *       does
 *   <li><b>release:</b> a place, a lease or a buffer goes back to whom it belongs to, however the
 *       call ended
 * </ul>
 *
 * <h2>Failures</h2>
 *
 * The classes here know no library, so they report with the exceptions of {@link
 * java.util.concurrent}: {@link java.lang.InterruptedException} (the flag is cleared, as that
 * exception's convention has it), {@link java.util.concurrent.TimeoutException}, {@link
 * java.util.concurrent.CancellationException}, and {@link java.util.concurrent.ExecutionException}
 * around what the library reported. Each adapter translates them, in its {@code <Lib>Failures}, to
 * what its library's synchronous interface declares: it catches them around the wait. Its
 * subclasses of {@link io.heddle.core.BodyInput} and {@link io.heddle.core.BodyOutput}, the streams
 * over the pipes, name the translation, and those classes catch.
 */
@NullMarked
package io.heddle.core;

import org.jspecify.annotations.NullMarked;
