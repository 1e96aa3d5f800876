package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A call that is redirected is one call, whose event tells how all of it ended. */
@Timeout(60)
class RedirectEventTest {

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void theEventOfARedirectedCallIsOfItsLastResponse(Wire wire, @TempDir Path directory)
      throws Exception {
    Path file = directory.resolve("calls.jfr");
    try (FaultServer server = FaultServer.start(wire);
        Recording recording = new Recording()) {
      OkHttpClient client =
          BlockingOkHttpClient.wrap(
              new OkHttpClient.Builder().protocols(KitClient.protocols(wire)).build());
      String target = server.uri(Script.ok().body(100)).toString();
      Script redirect = Script.answer(302).header("Location", target).body(100_000);
      recording.enable("io.heddle.Call").withoutThreshold();
      recording.start();
      Request get = new Request.Builder().url(server.uri(redirect).toString()).build();
      for (Thread.Builder caller : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
        new Caller(
                caller,
                () -> {
                  try (Response response = client.newCall(get).execute()) {
                    return response.body().bytes().length;
                  }
                })
            .result();
      }
      recording.stop();
      recording.dump(file);
    }
    assertEquals(
        List.of("200 completed", "200 completed"),
        RecordingFile.readAllEvents(file).stream()
            .filter(each -> each.getEventType().getName().equals("io.heddle.Call"))
            .map(each -> each.getInt("status") + " " + each.getString("ended"))
            .toList());
  }
}
