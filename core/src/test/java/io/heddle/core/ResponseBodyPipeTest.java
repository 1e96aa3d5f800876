package io.heddle.core;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class ResponseBodyPipeTest {

  private static final Deadline NONE = Deadline.none();

  private final List<Integer> demanded = new ArrayList<>();
  private final AtomicInteger cancels = new AtomicInteger();
  private final ResponseBodyPipe pipe =
      new ResponseBodyPipe(100, -1, demanded::add, cancels::incrementAndGet);

  private void offer(String text) {
    pipe.offer(ByteBuffer.wrap(text.getBytes(US_ASCII)));
  }

  private String read(int len) throws Exception {
    return read(len, NONE);
  }

  private String read(int len, Deadline deadline) throws Exception {
    byte[] b = new byte[len];
    int n = pipe.read(b, 0, len, deadline);
    return n < 0 ? "<end>" : new String(b, 0, n, US_ASCII);
  }

  // ---- reading ------------------------------------------------------------------------------

  @Test
  void whatIsThereIsReadWithoutWaiting() throws Exception {
    offer("abc");
    offer("def");
    assertEquals(6, pipe.available());
    assertEquals("abcd", read(4));
    assertEquals("ef", read(4));
    assertEquals(0, pipe.available());
  }

  @ParameterizedTest
  @EnumSource
  void bytesWakeTheReader(Caller.Kind kind) throws Exception {
    Caller<String> reader = Caller.start(kind, () -> read(10));
    reader.awaitParked();
    offer("abc");
    assertEquals("abc", reader.result());
  }

  @ParameterizedTest
  @EnumSource
  void theEndWakesTheReader(Caller.Kind kind) throws Exception {
    Caller<String> reader = Caller.start(kind, () -> read(10));
    reader.awaitParked();
    pipe.end();
    assertEquals("<end>", reader.result());
    assertEquals("<end>", read(1), "and again");
  }

  @Test
  void aReadOfNothingIsNothing() throws Exception {
    assertEquals(0, pipe.read(new byte[3], 1, 0, NONE), "though the pipe is empty and open");
    pipe.end();
    assertEquals(0, pipe.read(new byte[3], 1, 0, NONE), "though the body has ended");
  }

  @Test
  void aReadOutsideItsArrayIsRefused() {
    assertThrows(IndexOutOfBoundsException.class, () -> pipe.read(new byte[3], 2, 2, NONE));
    assertThrows(IndexOutOfBoundsException.class, () -> pipe.read(new byte[3], -1, 2, NONE));
  }

  @Test
  void aWindowMustBePositive() {
    assertThrows(
        IllegalArgumentException.class,
        () -> new ResponseBodyPipe(0, -1, demanded::add, cancels::incrementAndGet));
  }

  @Test
  void bytesBeforeTheEndAreReadFirst() throws Exception {
    offer("abc");
    pipe.end();
    assertEquals("abc", read(10));
    assertEquals("<end>", read(10));
  }

  @Test
  void offeredBytesMayBeOverwrittenAtOnce() throws Exception {
    byte[] buffer = "abc".getBytes(US_ASCII);
    ByteBuffer src = ByteBuffer.wrap(buffer);
    pipe.offer(src);
    assertFalse(src.hasRemaining());
    buffer[0] = 'X';
    assertEquals("abc", read(3));
  }

  // ---- failure ------------------------------------------------------------------------------

  @Test
  void bytesBeforeTheFailureAreReadFirstAndThenEachReadFails() throws Exception {
    IOException reset = new IOException("reset");
    offer("abc");
    pipe.fail(reset);
    assertEquals("abc", read(10));
    ExecutionException first = assertThrows(ExecutionException.class, () -> read(10));
    ExecutionException second = assertThrows(ExecutionException.class, () -> read(10));
    assertSame(reset, first.getCause());
    assertNotSame(first, second, "a fresh exception each time");
  }

  @ParameterizedTest
  @EnumSource
  void aFailureWakesTheReader(Caller.Kind kind) throws Exception {
    Caller<String> reader = Caller.start(kind, () -> read(10));
    reader.awaitParked();
    pipe.fail(new IOException());
    assertInstanceOf(ExecutionException.class, reader.failure());
  }

  @Test
  void theFirstOfEndAndFailureCounts() throws Exception {
    pipe.end();
    pipe.fail(new IOException());
    assertEquals("<end>", read(1));
  }

  // ---- giving up ----------------------------------------------------------------------------

  @ParameterizedTest
  @EnumSource
  void anInterruptClosesAndClearsTheFlag(Caller.Kind kind) throws Exception {
    Caller<String> reader = Caller.start(kind, () -> read(10));
    reader.awaitParked().thread().interrupt();
    assertInstanceOf(InterruptedException.class, reader.failure());
    assertFalse(reader.interruptedAfterwards());
    assertEquals(1, cancels.get());
    assertThrows(CancellationException.class, () -> read(10), "the next read fails at once");
  }

  @Test
  void anInterruptEndsABodyWhoseBytesKeepFlowing() {
    offer("abc");
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> read(1));
    assertFalse(Thread.interrupted());
    assertEquals(1, cancels.get());
  }

  @Test
  void aBodyThatIsThereAsAWholeBeatsAnInterrupt() throws Exception {
    offer("abc");
    pipe.end();
    Thread.currentThread().interrupt();
    assertEquals("abc", read(10));
    assertEquals("<end>", read(10));
    assertTrue(Thread.interrupted());
    assertEquals(0, cancels.get());
  }

  @ParameterizedTest
  @EnumSource
  void theDeadlineCloses(Caller.Kind kind) throws Exception {
    Deadline soon = Deadline.after(Duration.ofMillis(30));
    Caller<String> reader = Caller.start(kind, () -> read(10, soon));
    assertInstanceOf(TimeoutException.class, reader.failure());
    assertTrue(soon.isExpired());
    assertEquals(1, cancels.get());
  }

  @Test
  void theDeadlineEndsABodyWhoseBytesKeepFlowing() {
    offer("abc");
    assertThrows(TimeoutException.class, () -> read(1, Deadline.afterNanos(0)));
    assertEquals(1, cancels.get());
  }

  @Test
  void aBodyThatIsThereAsAWholeBeatsTheDeadline() throws Exception {
    offer("abc");
    pipe.end();
    assertEquals("abc", read(10, Deadline.afterNanos(0)));
  }

  @Test
  void closeCancelsOnceAndDropsWhatComes() {
    offer("abc");
    pipe.close();
    pipe.close();
    assertEquals(1, cancels.get());
    assertEquals(0, pipe.available());
    ByteBuffer late = ByteBuffer.wrap("def".getBytes(US_ASCII));
    pipe.offer(late);
    assertFalse(late.hasRemaining(), "taken, so that the library goes on");
    assertEquals(0, pipe.available());
    assertThrows(CancellationException.class, () -> read(1));
  }

  @Test
  void closeAfterTheEndCancelsNothing() {
    pipe.end();
    pipe.close();
    assertEquals(0, cancels.get());
  }

  @Test
  void aShortRestIsDrained() throws Exception {
    offer("what nobody reads");
    pipe.end();
    pipe.drain();
    assertEquals("<end>", read(1));
    assertEquals(List.of(), demanded);
    pipe.close();
    assertEquals(0, cancels.get());
  }

  @Test
  void aLongRestIsDrainedOnlyInPart() {
    byte[] much = new byte[80 * 1024];
    pipe.offer(ByteBuffer.wrap(much));
    pipe.drain();
    assertEquals(16 * 1024, pipe.available());
    assertFalse(pipe.isDone());
  }

  @Test
  void aRestThatDoesNotComeIsDrainedForAMomentAndGivenUp() {
    offer("some");
    pipe.drain();
    assertTrue(pipe.isDone());
    assertEquals(1, cancels.get());
  }

  /** The moment is for the whole rest, not for each of its bytes. */
  @Test
  void aRestThatDripsIsDrainedForAMomentAndGivenUp() throws Exception {
    long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    Caller<Boolean> dripper =
        Caller.start(
            Caller.Kind.PLATFORM,
            () -> {
              while (!pipe.isDone() && System.nanoTime() < end) {
                offer("x");
                Thread.sleep(5);
              }
              return pipe.isDone();
            });
    dripper.awaitParked();
    pipe.drain();
    assertTrue(dripper.result(), "given up while bytes came");
    assertTrue(pipe.isDone());
    assertEquals(1, cancels.get());
  }

  /** What the other reads meanwhile would be the rest of something. */
  @Test
  void theRestOfABodyThatAnotherThreadReadsIsNotDrained() throws Exception {
    offer("abc");
    assertEquals("a", read(1));
    Caller<Integer> closer =
        Caller.start(
            Caller.Kind.PLATFORM,
            () -> {
              pipe.drain();
              return pipe.available();
            });
    assertEquals(2, closer.result());
    assertThrows(CancellationException.class, () -> read(1));
  }

  /** A reader gets what was sent, up to where it was closed, and nothing else. */
  @ParameterizedTest
  @EnumSource
  void whoeverClosesUnderAReaderTakesNothingFromHim(Caller.Kind kind) throws Exception {
    byte[] sent = new byte[60_000];
    new Random(1).nextBytes(sent);
    for (int i = 0; i < 2000; i++) {
      ResponseBodyPipe body = new ResponseBodyPipe(100_000, -1, n -> {}, () -> {});
      body.offer(ByteBuffer.wrap(sent));
      CountDownLatch begun = new CountDownLatch(i % 50);
      Caller<byte[]> reader =
          Caller.start(
              kind,
              () -> {
                ByteArrayOutputStream got = new ByteArrayOutputStream();
                byte[] piece = new byte[100];
                try {
                  for (; ; ) {
                    got.write(piece, 0, body.read(piece, 0, piece.length, NONE));
                    begun.countDown();
                  }
                } catch (CancellationException e) {
                  return got.toByteArray();
                }
              });
      begun.await();
      body.drain();
      body.close();
      byte[] got = reader.result();
      assertArrayEquals(Arrays.copyOf(sent, got.length), got);
    }
  }

  @Test
  void anInterruptedDrainGivesUpAndKeepsTheFlag() {
    offer("some");
    Thread.currentThread().interrupt();
    pipe.drain();
    assertTrue(Thread.interrupted());
    assertEquals(1, cancels.get());
  }

  @Test
  void theDrainOfABrokenBodyIsQuiet() {
    offer("some");
    pipe.fail(new IOException("broken"));
    pipe.drain();
    pipe.close();
    pipe.drain();
    assertEquals(0, cancels.get());
  }

  @ParameterizedTest
  @EnumSource
  void cancelFromAnotherThreadWakesTheReader(Caller.Kind kind) throws Exception {
    Caller<String> reader = Caller.start(kind, () -> read(10));
    reader.awaitParked();
    assertTrue(pipe.cancel());
    assertInstanceOf(CancellationException.class, reader.failure());
    assertFalse(pipe.cancel());
    assertEquals(1, cancels.get());
  }

  // ---- back pressure ------------------------------------------------------------------------

  @Test
  void demandIsReturnedAtHalfTheWindow() throws Exception {
    offer("x".repeat(100));
    read(49);
    assertEquals(List.of(), demanded);
    read(1);
    assertEquals(List.of(50), demanded);
    read(50);
    assertEquals(List.of(50, 50), demanded);
  }

  @Test
  void noDemandAfterTheEnd() throws Exception {
    offer("x".repeat(100));
    pipe.end();
    read(100);
    assertEquals(List.of(), demanded);
  }

  // ---- several pieces at a time -------------------------------------------------------------

  private void gather(String text) {
    pipe.gather(ByteBuffer.wrap(text.getBytes(US_ASCII)));
  }

  @ParameterizedTest
  @EnumSource
  void whatIsGatheredWakesTheReaderOnce(Caller.Kind kind) throws Exception {
    Caller<String> reader = Caller.start(kind, () -> read(10));
    reader.awaitParked();
    gather("abc");
    Thread.sleep(50); // for a reader that was woken to read on
    gather("def");
    pipe.flush();
    assertEquals("abcdef", reader.result());
  }

  @ParameterizedTest
  @EnumSource
  void halfAWindowWakesTheReader(Caller.Kind kind) throws Exception {
    Caller<String> reader = Caller.start(kind, () -> read(100));
    reader.awaitParked();
    gather("x".repeat(50));
    assertEquals("x".repeat(50), reader.result());
  }

  @ParameterizedTest
  @EnumSource
  void whatIsGatheredIsReadBeforeTheEnd(Caller.Kind kind) throws Exception {
    Caller<String> reader = Caller.start(kind, () -> read(10) + read(10));
    reader.awaitParked();
    gather("abc");
    pipe.end();
    assertEquals("abc<end>", reader.result());
  }

  @Test
  void whatIsGatheredIsReadWithoutWaiting() throws Exception {
    gather("abc");
    assertEquals("abc", read(10));
  }

  @Test
  void whatIsGatheredBehindTheEndIsDropped() throws Exception {
    pipe.close();
    ByteBuffer late = ByteBuffer.wrap(new byte[3]);
    pipe.gather(late);
    assertFalse(late.hasRemaining());
    assertEquals(0, pipe.available());
  }

  // ---- a window that grows ------------------------------------------------------------------

  private ResponseBodyPipe growing() {
    return new ResponseBodyPipe(100, 350, -1, demanded::add, cancels::incrementAndGet);
  }

  /** Reads so many bytes, waits for the next one, and reads that. */
  private Caller<Integer> reading(ResponseBodyPipe from, int bytes) throws Exception {
    Caller<Integer> reader =
        Caller.start(
            Caller.Kind.VIRTUAL,
            () -> {
              byte[] b = new byte[bytes];
              for (int n = 0; n < bytes; ) {
                n += from.read(b, n, bytes - n, NONE);
              }
              return from.read(b, 0, 1, NONE);
            });
    reader.awaitParked();
    return reader;
  }

  @Test
  void aWindowGrowsIfItsReaderWaitsForMore() throws Exception {
    ResponseBodyPipe growing = growing();
    growing.offer(ByteBuffer.allocate(100));
    Caller<Integer> reader = reading(growing, 100);
    assertEquals(List.of(100, 100), demanded, "what was read, and a window more");
    growing.offer(ByteBuffer.allocate(200));
    assertEquals(1, reader.result());
    reader = reading(growing, 199);
    assertEquals(List.of(100, 100, 200, 150), demanded, "up to the bound");
    growing.offer(ByteBuffer.allocate(350));
    assertEquals(1, reader.result());
    reader = reading(growing, 349);
    assertEquals(List.of(100, 100, 200, 150, 350), demanded, "but not beyond it");
    growing.end();
    assertEquals(-1, reader.result());
  }

  @Test
  void aWindowThatIsNotUsedUpDoesNotGrow() throws Exception {
    ResponseBodyPipe growing = growing();
    for (int i = 0; i < 10; i++) {
      growing.offer(ByteBuffer.allocate(60));
      Caller<Integer> reader = reading(growing, 60);
      growing.offer(ByteBuffer.allocate(1));
      assertEquals(1, reader.result());
    }
    assertTrue(demanded.stream().mapToInt(n -> n).sum() <= 610, "asked for " + demanded);
  }

  @Test
  void aWindowDoesNotGrowAsLongAsThereIsMoreToRead() throws Exception {
    ResponseBodyPipe growing = growing();
    growing.offer(ByteBuffer.allocate(100));
    byte[] b = new byte[60];
    for (int i = 0; i < 10; i++) {
      assertEquals(60, growing.read(b, 0, 60, NONE));
      growing.offer(ByteBuffer.allocate(60));
    }
    assertEquals(600, demanded.stream().mapToInt(n -> n).sum());
  }

  @Test
  void aWindowDoesNotGrowForAReaderThatOnlySparesTheConnection() {
    ResponseBodyPipe growing = growing();
    growing.offer(ByteBuffer.allocate(100));
    growing.drain();
    assertEquals(List.of(100), demanded);
  }

  @Test
  void aWindowDoesNotBeginAboveItsBound() {
    assertThrows(
        IllegalArgumentException.class,
        () -> new ResponseBodyPipe(2, 1, -1, demanded::add, cancels::incrementAndGet));
  }

  @ParameterizedTest
  @EnumSource
  void aLongBodyPassesThroughASmallWindow(Caller.Kind kind) throws Exception {
    passesLongBody(kind, 1 << 14, 1 << 14);
  }

  @ParameterizedTest
  @EnumSource
  void aLongBodyPassesThroughAWindowThatGrows(Caller.Kind kind) throws Exception {
    passesLongBody(kind, 1 << 14, 1 << 17);
  }

  /** A library that sends only what was asked for, and a reader, both as fast as they can. */
  private void passesLongBody(Caller.Kind kind, int window, int mostWindow) throws Exception {
    int total = 8 << 20;
    AtomicLong credit = new AtomicLong(window);
    ResponseBodyPipe small =
        new ResponseBodyPipe(
            window, mostWindow, total, credit::addAndGet, cancels::incrementAndGet);
    byte[] body = new byte[total];
    new Random(7).nextBytes(body);

    Caller<byte[]> reader =
        Caller.start(
            kind,
            () -> {
              ByteArrayOutputStream all = new ByteArrayOutputStream(total);
              byte[] b = new byte[5_000];
              for (int n = small.read(b, 0, 7, NONE); n >= 0; ) {
                all.write(b, 0, n);
                n = small.read(b, 0, b.length, NONE);
              }
              return all.toByteArray();
            });
    Random sizes = new Random(8);
    int most = 0;
    for (int sent = 0; sent < total; ) {
      int n = (int) Math.min(Math.min(credit.get(), total - sent), 1 + sizes.nextInt(9_000));
      if (n > 0) {
        credit.addAndGet(-n);
        small.gather(ByteBuffer.wrap(body, sent, n));
        sent += n;
        most = Math.max(most, small.available());
      }
      if (n == 0 || sizes.nextInt(4) == 0) {
        small.flush();
      }
    }
    small.end();
    assertArrayEquals(body, reader.result());
    assertTrue(most <= mostWindow, "held " + most + " bytes");
    assertEquals(0, cancels.get());
  }

  @Test
  void saysWhatItIs() {
    offer("abc");
    assertEquals("ResponseBodyPipe[OPEN, 3 bytes]", pipe.toString());
    pipe.end();
    assertEquals("ResponseBodyPipe[ENDED, 3 bytes]", pipe.toString());
  }
}
