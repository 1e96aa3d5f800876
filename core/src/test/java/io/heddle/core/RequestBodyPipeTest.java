package io.heddle.core;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class RequestBodyPipeTest {

  private static final Deadline NONE = Deadline.none();

  private final Semaphore signals = new Semaphore(0);
  private final AtomicInteger cancels = new AtomicInteger();
  private final RequestBodyPipe pipe =
      new RequestBodyPipe(10, -1, signals::release, cancels::incrementAndGet);
  private final Channel channel = new Channel();

  /** A channel with as much room as the test says. */
  private static final class Channel {
    final ByteArrayOutputStream received = new ByteArrayOutputStream();
    int room = Integer.MAX_VALUE;

    int write(ByteBuffer src) {
      int n = Math.min(room, src.remaining());
      byte[] b = new byte[n];
      src.get(b);
      received.writeBytes(b);
      room -= n;
      return n;
    }
  }

  private boolean write(String text) throws Exception {
    return write(text, NONE);
  }

  private boolean write(String text, Deadline deadline) throws Exception {
    byte[] b = text.getBytes(US_ASCII);
    return pipe.write(b, 0, b.length, deadline);
  }

  private boolean drain() throws IOException {
    return pipe.drainTo(channel::write);
  }

  private String received() {
    return channel.received.toString(US_ASCII);
  }

  // ---- writing and draining -----------------------------------------------------------------

  @Test
  void whatIsWrittenIsDrainedAndTheEndIsTold() throws Exception {
    assertTrue(write("abc"));
    assertEquals(3, pipe.available());
    assertFalse(drain(), "not complete");
    assertEquals("abc", received());
    write("def");
    pipe.finish();
    assertTrue(drain(), "complete");
    assertEquals("abcdef", received());
  }

  @Test
  void theEndIsNotToldBeforeTheChannelHasItAll() throws Exception {
    write("abcdef");
    pipe.finish();
    channel.room = 4;
    assertFalse(drain());
    assertEquals("abcd", received());
    assertFalse(drain(), "no room");
    channel.room = 10;
    assertTrue(drain());
    assertEquals("abcdef", received());
  }

  @Test
  void whatIsDrainedIsCounted() throws Exception {
    write("abcdef");
    channel.room = 4;
    drain();
    assertEquals(4, pipe.drained());
    channel.room = 10;
    drain();
    write("gh");
    drain();
    assertEquals(8, pipe.drained());
    pipe.finish();
    assertTrue(drain());
    assertEquals(8, pipe.drained());
  }

  @Test
  void anEmptyBodyIsComplete() throws Exception {
    assertFalse(drain());
    pipe.finish();
    assertTrue(drain());
  }

  @Test
  void aWriteOfNothingIsNothing() throws Exception {
    assertTrue(pipe.write(new byte[0], 0, 0, NONE));
    assertThrows(IndexOutOfBoundsException.class, () -> pipe.write(new byte[3], 2, 2, NONE));
  }

  @Test
  void aCapacityMustBePositive() {
    assertThrows(
        IllegalArgumentException.class,
        () -> new RequestBodyPipe(0, -1, signals::release, cancels::incrementAndGet));
  }

  // ---- the signal ---------------------------------------------------------------------------

  @Test
  void oneSignalForManyWrites() throws Exception {
    write("abc");
    assertEquals(0, signals.availablePermits(), "not before it is wanted");
    pipe.flush();
    write("def");
    pipe.flush();
    assertEquals(1, signals.availablePermits(), "the I/O thread has not been here since");
    drain();
    pipe.flush();
    assertEquals(1, signals.availablePermits(), "there is nothing to drain");
    write("g");
    pipe.flush();
    assertEquals(2, signals.availablePermits());
    pipe.finish();
    assertEquals(3, signals.availablePermits(), "the end is told always");
  }

  // ---- back pressure ------------------------------------------------------------------------

  @ParameterizedTest
  @EnumSource
  void aFullPipeParksTheWriterUntilHalfIsFree(Caller.Kind kind) throws Exception {
    Caller<Boolean> writer = Caller.start(kind, () -> write("0123456789abc"));
    writer.awaitParked();
    assertEquals(10, pipe.available());
    assertEquals(1, signals.availablePermits(), "the I/O thread was asked to come");
    channel.room = 4;
    drain();
    writer.awaitParked();
    channel.room = 1;
    drain();
    assertTrue(writer.result());
    channel.room = 100;
    drain();
    assertEquals("0123456789abc", received());
  }

  @ParameterizedTest
  @EnumSource
  void aLongBodyPassesThroughASmallPipe(Caller.Kind kind) throws Exception {
    byte[] body = new byte[8 << 20];
    new Random(7).nextBytes(body);
    RequestBodyPipe small =
        new RequestBodyPipe(1 << 14, body.length, signals::release, cancels::incrementAndGet);
    Caller<Boolean> writer = Caller.start(kind, () -> writeAll(small, body, 40_000));
    // An I/O thread: comes when signalled, and again while its channel has no room.
    Random rooms = new Random(9);
    boolean complete = false;
    while (!complete) {
      assertTrue(signals.tryAcquire(20, TimeUnit.SECONDS), () -> "no signal: " + small);
      do {
        channel.room = 1 + rooms.nextInt(30_000);
        complete = small.drainTo(channel::write);
      } while (!complete && channel.room == 0);
    }
    assertTrue(writer.result());
    assertArrayEquals(body, channel.received.toByteArray());
  }

  private static boolean writeAll(RequestBodyPipe to, byte[] body, int most) throws Exception {
    Random sizes = new Random(8);
    for (int sent = 0; sent < body.length; ) {
      int n = Math.min(body.length - sent, sizes.nextInt(most));
      to.write(body, sent, n, NONE);
      sent += n;
    }
    to.finish();
    return true;
  }

  @Test
  void theWriterIsWaitedForUntilItSignalsOrEnds() throws Exception {
    channel.room = 4;
    write("abcdef");
    assertTrue(pipe.isStarved(), "what is not flushed is nobody's yet");
    pipe.flush();
    assertFalse(pipe.isStarved());
    assertFalse(drain());
    assertFalse(pipe.isStarved(), "there is more, and no room");
    channel.room = 10;
    assertFalse(drain());
    assertTrue(pipe.isStarved());
    pipe.stop();
    assertFalse(pipe.isStarved(), "nothing more comes");
  }

  // ---- a writer that sends ------------------------------------------------------------------

  /** More than one offer, and more than what a socket is given at a time. */
  private static final int LONG = 300_000;

  /** A pipe whose writer drains it into the channel, after {@code before}. */
  private RequestBodyPipe sendingPipe(int capacity, Runnable before) {
    return new Object() {
      final RequestBodyPipe sending =
          new RequestBodyPipe(
              capacity,
              -1,
              () -> {
                before.run();
                drain(this.sending);
              },
              true,
              cancels::incrementAndGet);
    }.sending;
  }

  private void drain(RequestBodyPipe from) {
    try {
      from.drainTo(channel::write);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] body(int length) {
    byte[] body = new byte[length];
    new Random(length).nextBytes(body);
    return body;
  }

  @Test
  void aLongWriteIsSentByItsWriter() throws Exception {
    byte[] body = body(LONG);
    AtomicInteger sends = new AtomicInteger();
    RequestBodyPipe sending = sendingPipe(1 << 17, sends::incrementAndGet);
    assertTrue(sending.write(body, 0, LONG, NONE));
    assertArrayEquals(body, channel.received.toByteArray());
    assertEquals(3, sends.get(), "offers");
    assertEquals(LONG, sending.drained());
    assertEquals(0, sending.available());
    sending.finish();
    assertTrue(sending.drainTo(channel::write), "complete");
  }

  @Test
  void whatTheSinkDoesNotTakeIsQueued() throws Exception {
    byte[] body = body(LONG);
    AtomicInteger sends = new AtomicInteger();
    RequestBodyPipe sending = sendingPipe(1 << 20, sends::incrementAndGet);
    channel.room = 140_000;
    assertTrue(sending.write(body, 0, 200_000, NONE));
    assertEquals(60_000, sending.available());
    assertFalse(sending.isStarved(), "there is more, and no room");
    assertTrue(sending.write(body, 200_000, 100_000, NONE), "there is room in the queue");
    sending.flush();
    assertEquals(1, sends.get(), "from now on it is the I/O thread's turn");
    channel.room = LONG;
    drain(sending);
    assertTrue(sending.isStarved());
    assertArrayEquals(body, channel.received.toByteArray());
    assertEquals(LONG, sending.drained());
  }

  @Test
  void whatIsQueuedGoesBeforeAnOffer() throws Exception {
    byte[] body = body(50_000);
    RequestBodyPipe sending = sendingPipe(1 << 20, () -> {});
    sending.write(body, 0, 10_000, NONE);
    assertEquals(0, channel.received.size(), "a short write is queued");
    sending.write(body, 10_000, 40_000, NONE);
    assertArrayEquals(body, channel.received.toByteArray());
  }

  @Test
  void withoutRoomForWhatIsQueuedAnOfferIsQueuedToo() throws Exception {
    byte[] body = body(50_000);
    RequestBodyPipe sending = sendingPipe(1 << 20, () -> {});
    channel.room = 5_000;
    sending.write(body, 0, 10_000, NONE);
    sending.write(body, 10_000, 40_000, NONE);
    assertEquals(45_000, sending.available());
    assertFalse(sending.isStarved());
    channel.room = 50_000;
    drain(sending);
    assertArrayEquals(body, channel.received.toByteArray());
  }

  @Test
  void anOfferIsForNoOtherThread() throws Exception {
    byte[] body = body(40_000);
    AtomicInteger seen = new AtomicInteger(-1);
    RequestBodyPipe sending =
        new Object() {
          final RequestBodyPipe pipe =
              new RequestBodyPipe(1 << 20, -1, this::drainElsewhere, true, () -> {});

          void drainElsewhere() {
            signals.release();
            assertEquals(40_000, pipe.available(), "for this thread");
            Thread other =
                Thread.ofPlatform()
                    .start(
                        () -> {
                          seen.set(pipe.available());
                          drain(pipe);
                        });
            try {
              other.join();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          }
        }.pipe;
    sending.write(body, 0, 40_000, NONE);
    assertEquals(0, seen.get(), "for another thread");
    assertEquals(0, channel.received.size());
    sending.flush();
    assertEquals(2, signals.availablePermits(), "it was queued, and signalled");
    assertEquals(40_000, seen.get(), "for another thread");
    assertArrayEquals(body, channel.received.toByteArray());
  }

  @Test
  void anInterruptIsSeenBetweenOffers() {
    RequestBodyPipe sending = sendingPipe(1 << 17, () -> Thread.currentThread().interrupt());
    assertThrows(InterruptedException.class, () -> sending.write(new byte[LONG], 0, LONG, NONE));
    assertFalse(Thread.currentThread().isInterrupted());
    assertEquals(1 << 17, channel.received.size());
    assertEquals(1, cancels.get());
  }

  @Test
  void theDeadlineIsSeenBetweenOffers() {
    Deadline soon = Deadline.afterNanos(TimeUnit.MILLISECONDS.toNanos(50));
    RequestBodyPipe sending =
        sendingPipe(
            1 << 17,
            () -> {
              while (!soon.isExpired()) {
                LockSupport.parkNanos(1_000_000);
              }
            });
    assertThrows(TimeoutException.class, () -> sending.write(new byte[LONG], 0, LONG, soon));
    assertEquals(1 << 17, channel.received.size());
    assertEquals(1, cancels.get());
  }

  @Test
  void anEndWhileTheWriterSendsIsToldToIt() throws Exception {
    RequestBodyPipe[] made = new RequestBodyPipe[3];
    made[0] = sendingPipe(1 << 17, () -> made[0].stop());
    assertFalse(made[0].write(new byte[LONG], 0, LONG, NONE), "no more is wanted");
    IOException reset = new IOException("reset");
    made[1] = sendingPipe(1 << 17, () -> made[1].fail(reset));
    ExecutionException failed =
        assertThrows(ExecutionException.class, () -> made[1].write(new byte[LONG], 0, LONG, NONE));
    assertSame(reset, failed.getCause());
    made[2] = sendingPipe(1 << 17, () -> made[2].cancel());
    assertThrows(CancellationException.class, () -> made[2].write(new byte[LONG], 0, LONG, NONE));
    assertEquals(1, cancels.get());
    assertEquals(0, channel.received.size());
  }

  @ParameterizedTest
  @EnumSource
  void writerAndIoThreadTakeTurns(Caller.Kind kind) throws Exception {
    byte[] body = body(8 << 20);
    ReentrantLock turn = new ReentrantLock();
    Random rooms = new Random(9);
    AtomicInteger sends = new AtomicInteger();
    RequestBodyPipe sending =
        new Object() {
          final RequestBodyPipe pipe =
              new RequestBodyPipe(1 << 15, body.length, this::send, true, cancels::incrementAndGet);

          void send() {
            if (!turn.tryLock()) {
              signals.release(); // asks the I/O thread
              return;
            }
            try {
              sends.incrementAndGet();
              channel.room = 1 + rooms.nextInt(60_000);
              drain(pipe);
              if (channel.room == 0 || pipe.isFinished()) { // as an engine asks for events
                signals.release();
              }
            } finally {
              turn.unlock();
            }
          }
        }.pipe;
    Caller<Boolean> writer = Caller.start(kind, () -> writeAll(sending, body, 80_000));
    boolean complete = false;
    while (!complete) {
      assertTrue(signals.tryAcquire(20, TimeUnit.SECONDS), () -> "no signal: " + sending);
      boolean full;
      do {
        turn.lock();
        try {
          channel.room = 1 + rooms.nextInt(30_000);
          complete = sending.drainTo(channel::write);
          full = channel.room == 0;
        } finally {
          turn.unlock();
        }
      } while (!complete && full);
    }
    assertTrue(writer.result());
    assertArrayEquals(body, channel.received.toByteArray());
    assertTrue(sends.get() > 0, "the writer had its turns");
  }

  // ---- the server wants no more, or dies ----------------------------------------------------

  @ParameterizedTest
  @EnumSource
  void anEarlyAnswerStopsTheWriter(Caller.Kind kind) throws Exception {
    Caller<Boolean> writer = Caller.start(kind, () -> write("0123456789abc"));
    writer.awaitParked();
    pipe.stop();
    assertFalse(writer.result());
    assertFalse(write("more"));
    pipe.finish();
    assertFalse(drain(), "a body that was stopped is never complete");
    assertEquals(0, pipe.available());
    assertEquals(0, cancels.get(), "the exchange goes on: its answer is there");
  }

  @ParameterizedTest
  @EnumSource
  void writerGoesOnAfterAnAnswerAsLongAsBytesFlow(Caller.Kind kind) throws Exception {
    Caller<Boolean> writer = Caller.start(kind, () -> write("0123456789abc"));
    writer.awaitParked();
    pipe.answered();
    assertFalse(drain());
    assertTrue(writer.result());
    pipe.finish();
    assertTrue(drain());
    assertEquals("0123456789abc", received());
  }

  @ParameterizedTest
  @EnumSource
  void writerStopsAfterAnAnswerWhereNoBytesFlow(Caller.Kind kind) throws Exception {
    Caller<Boolean> parkedBefore = Caller.start(kind, () -> write("0123456789abc"));
    parkedBefore.awaitParked();
    pipe.answered();
    assertFalse(parkedBefore.result());
    assertFalse(write("more"));
    assertEquals(0, cancels.get(), "the exchange goes on: its answer is there");
  }

  @Test
  void deadlineCountsAfterAnAnswerToo() {
    pipe.answered();
    assertThrows(
        TimeoutException.class,
        () -> write("0123456789abc", Deadline.after(Duration.ofMillis(50))));
    assertEquals(1, cancels.get());
  }

  @ParameterizedTest
  @EnumSource
  void aFailureStopsTheWriter(Caller.Kind kind) throws Exception {
    IOException reset = new IOException("reset");
    Caller<Boolean> writer = Caller.start(kind, () -> write("0123456789abc"));
    writer.awaitParked();
    pipe.fail(reset);
    assertSame(reset, assertInstanceOf(ExecutionException.class, writer.failure()).getCause());
    assertThrows(ExecutionException.class, () -> write("more"));
    assertThrows(ExecutionException.class, pipe::finish);
    assertFalse(drain());
  }

  @Test
  void aFailureAfterTheEndStillCounts() throws Exception {
    write("abc");
    pipe.finish();
    pipe.fail(new IOException());
    assertFalse(drain());
    assertEquals("", received());
  }

  @Test
  void theFirstOfStopAndFailureCounts() throws Exception {
    pipe.stop();
    pipe.fail(new IOException());
    assertFalse(write("more"));
  }

  // ---- the writer gives up ------------------------------------------------------------------

  @ParameterizedTest
  @EnumSource
  void anInterruptClosesAndACutBodyIsNeverComplete(Caller.Kind kind) throws Exception {
    Caller<Boolean> writer = Caller.start(kind, () -> write("0123456789abc"));
    writer.awaitParked().thread().interrupt();
    assertInstanceOf(InterruptedException.class, writer.failure());
    assertFalse(writer.interruptedAfterwards());
    assertEquals(1, cancels.get());
    assertFalse(drain());
    assertThrows(CancellationException.class, () -> write("more"));
    assertThrows(CancellationException.class, pipe::finish);
  }

  @Test
  void anInterruptIsSeenThoughThereIsRoom() {
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> write("a"));
    assertEquals(1, cancels.get());
  }

  @ParameterizedTest
  @EnumSource
  void theDeadlineCloses(Caller.Kind kind) throws Exception {
    Deadline soon = Deadline.after(Duration.ofMillis(30));
    Caller<Boolean> writer = Caller.start(kind, () -> write("0123456789abc", soon));
    assertInstanceOf(TimeoutException.class, writer.failure());
    assertTrue(soon.isExpired());
    assertEquals(1, cancels.get());
  }

  @Test
  void theDeadlineIsSeenThoughThereIsRoom() {
    assertThrows(TimeoutException.class, () -> write("a", Deadline.afterNanos(0)));
    assertEquals(1, cancels.get());
  }

  @ParameterizedTest
  @EnumSource
  void cancelFromAnotherThreadWakesTheWriter(Caller.Kind kind) throws Exception {
    Caller<Boolean> writer = Caller.start(kind, () -> write("0123456789abc"));
    writer.awaitParked();
    assertTrue(pipe.cancel());
    assertInstanceOf(CancellationException.class, writer.failure());
    assertFalse(pipe.cancel());
    assertEquals(1, cancels.get());
  }

  @Test
  void cancelAfterTheEndCancelsNothing() throws Exception {
    pipe.finish();
    assertFalse(pipe.cancel());
    assertEquals(0, cancels.get());
    assertTrue(drain());
  }

  @Test
  void writingAfterTheEndIsAProgrammingError() throws Exception {
    pipe.finish();
    assertThrows(IllegalStateException.class, () -> write("more"));
    assertThrows(IllegalStateException.class, pipe::finish);
  }
}
