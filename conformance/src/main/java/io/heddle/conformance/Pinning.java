package io.heddle.conformance;

import io.heddle.pinning.PinningRecorder;
import io.heddle.pinning.PinningReport;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Records what many calls do to the carriers, once all is warm. In the other JVM, where nobody else
 * uses virtual threads.
 */
final class Pinning implements OtherJvm.Task {

  private static final int WARM_UPS = 3;
  private static final int BODY = 100_000;

  /** What is looked at. */
  enum Figure {
    /** Pins, while 20 callers stream bodies both ways. */
    PINS,
    /** Carriers, while 300 callers wait. */
    CARRIERS
  }

  /** The script of the URI for either figure. */
  static Script script(Figure figure) {
    return figure == Figure.PINS
        ? Script.ok().body(BODY)
        : Script.ok().delay(Duration.ofMillis(200));
  }

  /**
   * Carriers that the warm-up may have cost, by the loading of a class or the reading of a file,
   * and that stay for 30 s. A client that holds carriers while it waits takes hundreds.
   */
  private static final int OF_WARM_UP = 2;

  /**
   * Before JDK 24, waits to enter {@code synchronized} up to this long are no matter: the owner was
   * at work, or a busy machine had taken its processor away. Selectors and maps of the JDK have
   * such, whatever the adapter.
   */
  static final Duration CONTENTION = Bounds.patient(Duration.ofMillis(500));

  /** Arguments: the figure, the URI. */
  @Override
  public void run(ClientDriver driver, Wire wire, List<String> args) throws Exception {
    Figure figure = Figure.valueOf(args.get(0));
    URI uri = URI.create(args.get(1));
    try (Client client = driver.open(OtherJvm.settings(wire).maxConnections(300).build())) {
      PinningReport report =
          PinningRecorder.record(
              WARM_UPS,
              () -> {
                if (figure == Figure.PINS) {
                  inParallel(20, () -> stream(client, uri));
                } else {
                  inParallel(300, () -> call(client, Call.get(uri)));
                }
              });
      System.out.println(report.describe());
      if (figure == Figure.PINS) {
        report.ignoringClassLoading().ignoringContention(CONTENTION).assertClean();
      } else {
        Kit.check(
            !report.carriersGrew() && report.peakCarriers() <= report.parallelism() + OF_WARM_UP,
            "more carriers than the scheduler means to have");
      }
    }
  }

  private static long stream(Client client, URI uri) throws Exception {
    return call(client, Call.get(uri))
        + call(client, Call.post(uri, new Body.Bytes(Contents.first(BODY))))
        + call(client, Call.post(uri, new Body.Writer(Contents.writer(BODY))))
        + call(client, Call.post(uri, new Body.Stream(Contents.stream(BODY), -1)));
  }

  private static long call(Client client, Call.Builder call) throws Exception {
    try (Reply reply = client.prepare(call.build()).execute()) {
      return Contents.check(reply.body());
    }
  }

  private static void inParallel(int callers, Callable<Long> work) {
    List<Caller<Long>> all = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      all.add(new Caller<>(Thread.ofVirtual(), work).start());
    }
    all.forEach(each -> each.result(Bounds.LONG));
  }
}
