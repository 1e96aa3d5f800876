/**
 * Finds virtual threads that pin their carrier, and the stack frame that does it.
 *
 * <p>Add {@code io.heddle:heddle-pinning} in test scope, and annotate a JUnit 5 or 6 test. It fails
 * if anything pinned:
 *
 * <pre>{@code
 * @Test
 * @NoPinning(warmUps = 1)
 * void fetchesOrders() throws Exception {
 *   Thread.ofVirtual().start(() -> orders.fetch(7)).join();
 * }
 * }</pre>
 *
 * <pre>
 * java.lang.AssertionError: 1 pin in 1 place during 8.119 ms
 *   1 × com.example.Cache.&lt;clinit&gt;(Cache.java:12)
 *       called from com.example.Orders.fetch(Orders.java:31)
 *       VM call to com.example.Cache.&lt;clinit&gt; on stack
 *       in LockSupport.park
 *       for 1.204 ms, on #41 over ForkJoinPool-1-worker-2
 *         at java.util.concurrent.locks.LockSupport.park(LockSupport.java:369)
 *         …
 * carriers: at most 2, 2 at the start, for a parallelism of 2
 * </pre>
 *
 * Ignore a pin that you cannot fix, with the reason:
 *
 * <pre>{@code
 * @NoPinning(ignoring = @Ignored(
 *     frame = "com\\.example\\.driver\\.Native", because = "their issue 1234"))
 * }</pre>
 *
 * {@link io.heddle.pinning.NoPinning} describes limits, and the recorder as a parameter. {@link
 * io.heddle.pinning.NoPinningExtension} covers a whole suite.
 *
 * <p>Without JUnit, or for part of a test:
 *
 * <pre>{@code
 * PinningRecorder.record(1, () -> fetchAll()).assertClean();
 *
 * try (PinningRecorder recorder = PinningRecorder.start()) {
 *   fetchAll();
 *   PinningReport report = recorder.stop();
 *   assertTrue(report.isClean(), report::describe);
 *   assertFalse(report.carriersGrew(), report::describe);
 * }
 * }</pre>
 *
 * <h2>How it works</h2>
 *
 * <pre>{@code
 * PinningRecorder.start ─ census of carriers ─ control parks ─┐
 *                                                             │   the program under test
 *     its virtual threads park, or wait …                     │   any thread of the JVM
 *       off their carrier      nothing                        │
 *       holding their carrier  ──▶ jdk.VirtualThreadPinned    │   threshold 0, with stack;
 *                                                             │   before JDK 24 monitors too
 *     the scheduler adds a carrier ──▶ jdk.ThreadStart        │
 *                                                             │
 * PinningRecorder.stop  ─ control parks ─ JFR's file, read ───┘
 *     both controls in it?  no  → the recorder is blind: an error, not an empty report
 *                           yes → PinningReport: events without the controls, peak of carriers
 * }</pre>
 *
 * A recorder starts one platform thread each for its start and its stop, and one virtual thread for
 * each control. All are gone when the call returns. It does not poll while it records. One lock
 * guards its outcome; {@code stop} waits for JFR while holding it.
 */
@NullMarked
package io.heddle.pinning;

import org.jspecify.annotations.NullMarked;
