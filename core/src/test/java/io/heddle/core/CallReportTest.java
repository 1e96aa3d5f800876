package io.heddle.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.CallMetrics;
import io.heddle.CallsInFlight;
import io.heddle.core.CallEvent.Step;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a client says of its calls, in words and as gauges. */
class CallReportTest {

  private record Client(int inFlight, int waiting) implements CallsInFlight {}

  @Test
  void callsAreCountedAndListed() {
    Thread caller = Thread.ofVirtual().name("order-17").unstarted(() -> {});
    CallReport report = new CallReport("Client", new Client(2, 1));
    report.add(Step.PLACE, "https://example.org", null);
    report.add(Step.HEAD, "GET example.org:443", caller);
    report.add(null, "POST example.org:443", null);
    assertEquals(
        """
        Client[calls in flight: 2, waiting for a place: 1; callers wait for: place 1, head 1]
          https://example.org waits for a place
          GET example.org:443 waits for the head, thread #%d "order-17"
          POST example.org:443 waits for nothing"""
            .formatted(caller.threadId()),
        report.toString());
  }

  @Test
  void manyCallsAreCountedAllAndListedInPart() {
    CallReport report = new CallReport("Client", new Client(150, 0));
    for (int i = 0; i < 150; i++) {
      report.add(Step.BODY, "GET example.org:443", null);
    }
    String text = report.toString();
    assertTrue(text.contains("body 150"), text);
    assertTrue(text.endsWith("\n  and 50 more"), text);
    assertEquals(102, text.lines().count());
  }

  @Test
  void gaugesTellTheSame() {
    MeterRegistry registry = new SimpleMeterRegistry();
    Client client = new Client(2, 3);
    new CallMetrics(client, "orders").bindTo(registry);
    assertEquals(2, registry.get("heddle.calls.in.flight").tag("client", "orders").gauge().value());
    assertEquals(3, registry.get("heddle.calls.waiting").tag("client", "orders").gauge().value());
    assertEquals(client, new Client(2, 3)); // the gauges hold it weakly
  }

  @Test
  void closedMetricsHaveNoGauges() {
    MeterRegistry one = new SimpleMeterRegistry();
    MeterRegistry other = new SimpleMeterRegistry();
    other.config().commonTags("application", "shop"); // so that the gauges are called otherwise
    Client client = new Client(2, 3);
    CallMetrics kept = new CallMetrics(client, "kept");
    CallMetrics closed = new CallMetrics(client, "closed");
    for (MeterRegistry each : List.of(one, other)) {
      kept.bindTo(each);
      closed.bindTo(each);
      assertEquals(4, each.getMeters().size());
    }
    closed.close();
    for (MeterRegistry each : List.of(one, other)) {
      assertEquals(2, each.getMeters().size());
      assertEquals(3, each.get("heddle.calls.waiting").tag("client", "kept").gauge().value());
    }
  }
}
