package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import io.micrometer.core.instrument.binder.okhttp3.OkHttpMetricsEventListener;
import io.micrometer.core.instrument.binder.okhttp3.OkHttpObservationInterceptor;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.io.InterruptedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Micrometer's interceptor and listener: one observation a call, within the caller's own. */
@Timeout(60)
class MicrometerTest {

  private static final String NAME = "okhttp.requests";

  /** Observations of calls that have stopped. */
  private final List<Observation.Context> stopped = Collections.synchronizedList(new ArrayList<>());

  private final ObservationRegistry observations = ObservationRegistry.create();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

  private final class Recorder implements ObservationHandler<Observation.Context> {
    @Override
    public void onStop(Observation.Context context) {
      if (NAME.equals(context.getName())) {
        stopped.add(context);
      }
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
      return true;
    }
  }

  private List<OkHttpClient> clients(Wire wire) {
    observations.observationConfig().observationHandler(new Recorder());
    OkHttpClient ours =
        BlockingOkHttpClient.wrap(
            new OkHttpClient.Builder()
                .protocols(KitClient.protocols(wire))
                .addInterceptor(OkHttpObservationInterceptor.builder(observations, NAME).build())
                .eventListener(OkHttpMetricsEventListener.builder(meters, NAME).build())
                .build());
    return List.of(
        ours, ours.newBuilder().addInterceptor(chain -> chain.proceed(chain.request())).build());
  }

  private double counted(String outcome) {
    return meters.find(NAME).tag("status", outcome).timers().stream()
        .mapToLong(timer -> timer.count())
        .sum();
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void aCallIsObservedAndCountedOnce(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      int calls = 0;
      for (OkHttpClient client : clients(wire)) {
        for (Thread.Builder kind : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
          stopped.clear();
          Observation parent = Observation.createNotStarted("caller", observations);
          URI uri = server.uri(Script.ok().body(100_000));
          new Caller(kind, () -> parent.observeChecked(() -> AbandonedCallsTest.whole(client, uri)))
              .result();
          assertEquals(1, stopped.size());
          assertSame(parent, stopped.get(0).getParentObservation());
          assertEquals(++calls, counted("200"));
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void aCallThatIsInterruptedIsObservedAndCountedOnce(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      int calls = 0;
      for (OkHttpClient client : clients(wire)) {
        for (Thread.Builder kind : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
          stopped.clear();
          URI uri = server.uri(Script.ok().fault(Script.Fault.STALL));
          Caller caller = new Caller(kind, () -> AbandonedCallsTest.whole(client, uri));
          ExecuteTest.await(() -> server.seen(uri).size() == 1);
          caller.thread().interrupt();
          assertInstanceOf(InterruptedIOException.class, caller.failure());
          assertEquals(1, stopped.size());
          assertInstanceOf(InterruptedIOException.class, stopped.get(0).getError());
          assertEquals(++calls, counted("IO_ERROR"));
        }
      }
    }
  }
}
