package io.heddle.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.DeadlineExceededException;
import io.heddle.core.CallEvent.End;
import io.heddle.core.CallEvent.Step;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What JDK Flight Recorder keeps of calls. */
@Timeout(60)
class CallEventTest {

  private static final String CALL = "io.heddle.Call";

  @FunctionalInterface
  private interface Work {
    void run() throws Exception;
  }

  /** What of Heddle's is recorded while something runs. */
  private static List<RecordedEvent> recorded(Duration threshold, Work work) throws Exception {
    Path file = Files.createTempFile("heddle-core-", ".jfr");
    try (Recording recording = new Recording()) {
      for (String each : List.of(CALL, "io.heddle.PlaceWait", "io.heddle.LateResult")) {
        recording.enable(each).withThreshold(threshold);
      }
      recording.start();
      work.run();
      recording.stop();
      recording.dump(file);
      List<RecordedEvent> events = new ArrayList<>();
      try (RecordingFile read = new RecordingFile(file)) {
        while (read.hasMoreEvents()) {
          RecordedEvent each = read.readEvent();
          if (each.getEventType().getName().startsWith("io.heddle.")) {
            events.add(each);
          }
        }
      }
      return events;
    } finally {
      Files.delete(file);
    }
  }

  private static List<RecordedEvent> calls(Work work) throws Exception {
    return recorded(Duration.ZERO, work).stream()
        .filter(each -> each.getEventType().getName().equals(CALL))
        .toList();
  }

  private static CallEvent get() {
    CallEvent event = CallEvent.begin("test");
    event.request("GET", "example.org", 443);
    return event;
  }

  @Test
  void nothingHappensWhileNobodyRecords() {
    CallEvent event = get();
    assertSame(CallEvent.OFF, event);
    event.at(Step.PLACE);
    event.unknown(Step.NAME);
    event.head(200, "HTTP/2");
    event.cancels();
    event.failed(new IOException());
    event.completed();
    assertFalse(event.isOn());
    assertTrue(event.isOver());
  }

  @Test
  void aCallTellsWhatItWaitedFor() throws Exception {
    RecordedEvent event =
        calls(
                () -> {
                  CallEvent call = get();
                  call.unknown(Step.NAME);
                  call.at(Step.PLACE);
                  Thread.sleep(20);
                  call.at(Step.NAME);
                  call.at(Step.HEAD);
                  Thread.sleep(20);
                  call.head(404, "HTTP/2");
                  call.at();
                  Thread.sleep(20);
                  call.completed();
                })
            .get(0);
    assertEquals("test", event.getString("library"));
    assertEquals("GET", event.getString("method"));
    assertEquals("example.org:443", event.getString("authority"));
    assertEquals(404, event.getInt("status"));
    assertEquals("HTTP/2", event.getString("protocol"));
    assertEquals("completed", event.getString("ended"));
    assertNull(event.getString("failure"));
    assertTrue(event.getDuration("placeTime").toMillis() >= 20);
    assertTrue(event.getDuration("headTime").toMillis() >= 20);
    assertEquals(Long.MIN_VALUE, event.getLong("nameTime"));
    assertEquals(0, event.getLong("connectionTime"));
    assertTrue(event.getDuration("bodyTime").toMillis() < 20);
    assertTrue(event.getDuration().toMillis() >= 60);
    assertTrue(event.toString().contains("nameTime = N/A"), event::toString);
  }

  @Test
  void authorityIsHostAndPort() throws Exception {
    List<String> authorities =
        calls(
                () -> {
                  for (String host : List.of("example.org", "::1", "[::1]")) {
                    CallEvent event = CallEvent.begin("test");
                    event.request("GET", host, host.startsWith("[") ? -1 : 80);
                    event.completed();
                  }
                })
            .stream()
            .map(each -> each.getString("authority"))
            .toList();
    assertEquals(List.of("example.org:80", "[::1]:80", "[::1]"), authorities);
  }

  @Test
  void failuresAreTold() throws Exception {
    Map<Throwable, String> ends =
        Map.of(
            new IOException("secret"), "failed java.io.IOException",
            new ExecutionException(new IOException()), "failed java.io.IOException",
            new InterruptedException(), "interrupted java.lang.InterruptedException",
            new SocketTimeoutException(), "timeout java.net.SocketTimeoutException",
            new DeadlineExceededException(""), "timeout io.heddle.DeadlineExceededException",
            new TimeoutException(), "timeout java.util.concurrent.TimeoutException",
            new InterruptedIOException("timeout"), "timeout java.io.InterruptedIOException",
            new CancellationException(), "cancelled java.util.concurrent.CancellationException");
    for (Map.Entry<Throwable, String> each : ends.entrySet()) {
      RecordedEvent event = calls(() -> get().failed(each.getKey())).get(0);
      assertEquals(each.getValue(), event.getString("ended") + " " + event.getString("failure"));
      assertFalse(event.toString().contains("secret"));
    }
  }

  @Test
  void anInterruptedIoExceptionIsOfAnInterruptIfTheFlagIsSet() throws Exception {
    RecordedEvent event =
        calls(
                () -> {
                  Thread.currentThread().interrupt();
                  get().failed(new InterruptedIOException());
                  assertTrue(Thread.interrupted());
                })
            .get(0);
    assertEquals("interrupted", event.getString("ended"));
  }

  @Test
  void whatFollowsACancelIsDueToThat() throws Exception {
    RecordedEvent event =
        calls(
                () -> {
                  CallEvent call = get();
                  call.cancels();
                  call.failed(new IOException("Canceled"));
                })
            .get(0);
    assertEquals("cancelled", event.getString("ended"));
  }

  @Test
  void manyThreadsEndItOnce() throws Exception {
    assertEquals(
        200,
        calls(
                () -> {
                  for (int i = 0; i < 200; i++) {
                    CallEvent call = get();
                    Thread one = Thread.ofVirtual().start(call::completed);
                    Thread other = Thread.ofVirtual().start(() -> call.end(End.CLOSED));
                    call.failed(new IOException());
                    one.join();
                    other.join();
                  }
                })
            .size());
  }

  @Test
  void aLeaseWithoutARequestIsNoCall() throws Exception {
    assertEquals(List.of(), calls(() -> CallEvent.begin("test").end(End.CLOSED)));
  }

  // ---- the body ends the call -----------------------------------------------------------------

  private static ResponseBodyPipe body() {
    ResponseBodyPipe pipe = new ResponseBodyPipe(100, 10, bytes -> {}, () -> {});
    pipe.ends(get());
    pipe.offer(ByteBuffer.wrap(new byte[10]));
    return pipe;
  }

  private static void readOn(ResponseBodyPipe pipe, Deadline deadline) {
    try {
      while (pipe.read(new byte[4], 0, 4, deadline) >= 0) {}
    } catch (InterruptedException | TimeoutException | ExecutionException e) {
      // told in the event
    }
  }

  private static String endOf(Work work) throws Exception {
    List<RecordedEvent> events = calls(work);
    assertEquals(1, events.size());
    return events.get(0).getString("ended");
  }

  @Test
  void theEndOfTheBodyEndsTheCall() throws Exception {
    assertEquals(
        "completed",
        endOf(
            () -> {
              ResponseBodyPipe pipe = body();
              pipe.end();
              readOn(pipe, Deadline.none());
              pipe.close();
            }));
    assertEquals(
        "completed",
        endOf(
            () -> {
              ResponseBodyPipe pipe = body();
              pipe.end();
              pipe.close(); // unread, but there
            }));
    assertEquals("closed", endOf(() -> body().close()));
    assertEquals("closed", endOf(() -> body().drain()));
    assertEquals(
        "closed",
        endOf(
            () -> {
              ResponseBodyPipe pipe = new ResponseBodyPipe(100, 10, bytes -> {}, () -> {});
              pipe.close(); // by an interceptor, before there is a reader
              pipe.ends(get());
            }));
    assertEquals("cancelled", endOf(() -> body().cancel()));
    assertEquals(
        "failed",
        endOf(
            () -> {
              ResponseBodyPipe pipe = body();
              pipe.fail(new IOException());
              readOn(pipe, Deadline.none());
            }));
    assertEquals(
        "failed",
        endOf(
            () -> {
              ResponseBodyPipe pipe = body();
              pipe.fail(new IOException());
              pipe.close();
            }));
    assertEquals("timeout", endOf(() -> readOn(body(), Deadline.afterNanos(1_000_000))));
    assertEquals(
        "interrupted",
        endOf(
            () -> {
              Thread.currentThread().interrupt();
              readOn(body(), Deadline.none());
            }));
  }

  // ---- the other events -----------------------------------------------------------------------

  @Test
  void aPlaceWaitedForLongIsTold() throws Exception {
    List<RecordedEvent> events =
        recorded(
            Duration.ofMillis(500), // a busy machine may hold up the short one, too
            () -> {
              for (int millis : List.of(0, 510)) {
                CallEvent call = get();
                call.at(Step.PLACE);
                Thread.sleep(millis);
                call.at(Step.HEAD);
              }
            });
    assertEquals(1, events.size());
    assertEquals("io.heddle.PlaceWait", events.get(0).getEventType().getName());
    assertEquals("example.org:443", events.get(0).getString("authority"));
    assertTrue(events.get(0).getDuration().toMillis() >= 510);
  }

  @Test
  void aLateResultIsTold() throws Exception {
    List<Object> disposed = new ArrayList<>();
    List<RecordedEvent> events =
        recorded(
            Duration.ZERO,
            () -> {
              Exchange<String> exchange = new Exchange<>(disposed::add);
              exchange.cancel();
              exchange.complete("late");
              Exchange<InFlightLimit> turn = new Exchange<>(late -> {});
              turn.cancel();
              turn.complete(new InFlightLimit(1));
            });
    assertEquals(List.of("late"), disposed);
    assertEquals(
        List.of("java.lang.String", "place"),
        events.stream().map(each -> each.getString("result")).toList());
  }

  // ---- a JVM without JFR ----------------------------------------------------------------------

  /** Makes a call, gives one up, and prints what it has seen. */
  static final class WithoutJfr {
    public static void main(String[] args) {
      boolean there = ModuleLayer.boot().findModule("jdk.jfr").isPresent();
      CallEvent event = get();
      event.at(Step.PLACE);
      event.completed();
      Exchange<String> exchange = new Exchange<>(late -> System.out.println("disposed of " + late));
      exchange.cancel();
      exchange.complete("it");
      System.out.println("jdk.jfr there: " + there + ", on: " + event.isOn());
    }
  }

  @Test
  void aJvmWithoutJfrDoesWithout() throws Exception {
    String classPath = System.getProperty("java.class.path");
    Process process =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "--limit-modules",
                "java.base",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath,
                WithoutJfr.class.getName())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(30, TimeUnit.SECONDS));
    assertEquals("disposed of it\njdk.jfr there: false, on: false\n", said);
  }
}
