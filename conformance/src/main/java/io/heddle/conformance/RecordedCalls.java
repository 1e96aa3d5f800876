package io.heddle.conformance;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;

/** Records Heddle's own events, from its start until they are asked for. */
public final class RecordedCalls implements AutoCloseable {

  static final String CALL = "io.heddle.Call";
  static final String PLACE_WAIT = "io.heddle.PlaceWait";

  private final Recording recording = new Recording();
  private @Nullable List<RecordedEvent> read;

  private RecordedCalls() {}

  /** Starts a recording. */
  public static RecordedCalls start() {
    RecordedCalls recorded = new RecordedCalls();
    recorded.recording.enable(CALL).withThreshold(Duration.ZERO);
    recorded.recording.enable(PLACE_WAIT).withThreshold(Duration.ZERO);
    recorded.recording.start();
    return recorded;
  }

  /** The events of calls to this server, in the order of their ends; the first look ends it. */
  public List<RecordedEvent> calls(URI server) throws IOException {
    return events(CALL, server);
  }

  /** How those calls have ended: status and end of each, as in {@code 200 completed}. */
  public List<String> ends(URI server) throws IOException {
    return calls(server).stream().map(RecordedCalls::end).toList();
  }

  /** What was asked, and how it ended, as in {@code GET 200 completed}. */
  static String inShort(RecordedEvent call) {
    return call.getString("method") + " " + end(call);
  }

  private static String end(RecordedEvent call) {
    return call.getInt("status") + " " + call.getString("ended");
  }

  /** Of whatever call. */
  List<RecordedEvent> all() throws IOException {
    List<RecordedEvent> all = read == null ? stop() : read;
    read = all;
    return all;
  }

  List<RecordedEvent> placeWaits(URI server) throws IOException {
    return events(PLACE_WAIT, server);
  }

  private List<RecordedEvent> events(String type, URI server) throws IOException {
    return all().stream()
        .filter(each -> each.getEventType().getName().equals(type))
        .filter(each -> isOf(server, each.getString("authority")))
        .toList();
  }

  /** What tells more than host and port is of that server too, and to be found out. */
  private static boolean isOf(URI server, @Nullable String authority) {
    return authority != null && authority.contains(server.getHost() + ":" + server.getPort());
  }

  private List<RecordedEvent> stop() throws IOException {
    List<RecordedEvent> events = new ArrayList<>();
    Path file = Files.createTempFile("heddle-calls-", ".jfr");
    try {
      recording.stop();
      recording.dump(file);
      try (RecordingFile from = new RecordingFile(file)) {
        while (from.hasMoreEvents()) {
          RecordedEvent each = from.readEvent();
          if (each.getEventType().getName().startsWith("io.heddle.")) {
            events.add(each);
          }
        }
      }
    } finally {
      Files.delete(file);
    }
    events.sort((one, other) -> one.getEndTime().compareTo(other.getEndTime()));
    return events;
  }

  @Override
  public void close() {
    recording.close();
  }
}
