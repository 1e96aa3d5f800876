package io.heddle.okhttp;

import io.heddle.conformance.Wire;
import io.heddle.pinning.PinningRecorder;
import io.heddle.pinning.PinningReport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** What {@link StallTest} runs in a JVM of its own; prints one line. */
final class ManyCalls {

  private static final int LOOPING = 200;
  private static final int LOOP_SECONDS = 10;
  private static final int STALL_SECONDS = 4 * Integer.getInteger(StallTest.PATIENCE, 1);
  private static final int WAITING = 300;

  /**
   * Carriers beside those that are meant. Before JDK 24 a thread that loads a class or connects may
   * have one added, for a moment; {@link #WAITING} callers that held theirs would have far more.
   */
  private static final int FEW = 10;

  private ManyCalls() {}

  /** Arguments: whose client; "loop", or the wire on which to wait; the URI. */
  public static void main(String[] args) throws Exception {
    boolean loop = args[1].equals("loop");
    OkHttpClient stock =
        new OkHttpClient.Builder()
            .protocols(KitClient.protocols(loop ? Wire.H2C : Wire.valueOf(args[1])))
            .callTimeout(Duration.ofMinutes(1)) // whose timer takes a lock
            .build();
    OkHttpClient client = args[0].equals("stock") ? stock : BlockingOkHttpClient.wrap(stock);
    Request request = new Request.Builder().url(args[2]).build();
    System.out.println(loop ? loop(client, request) : await(client, request));
    System.exit(0); // callers may hang
  }

  private static void call(OkHttpClient client, Request request) throws IOException {
    while (true) {
      try (Response response = client.newCall(request).execute()) {
        response.body().bytes();
        return;
      } catch (IOException e) {
        // OkHttp sends more streams than the server takes until it has heard how many that are.
        if (!String.valueOf(e.getMessage()).contains("REFUSED_STREAM")) {
          throw e;
        }
      }
    }
  }

  /** Whether calls go on and on. */
  private static String loop(OkHttpClient client, Request request) throws Exception {
    AtomicLong calls = new AtomicLong();
    for (int i = 0; i < LOOPING; i++) {
      Thread.startVirtualThread(
          () -> {
            while (true) {
              try {
                call(client, request);
                calls.incrementAndGet();
              } catch (IOException e) {
                // a caller that had to wait for too long; it is the stop that counts
              }
            }
          });
    }
    long last = 0;
    int still = 0;
    for (int second = 0; second < LOOP_SECONDS || still > 0 || last == 0; second++) {
      Thread.sleep(1000);
      long now = calls.get();
      still = now == last && now > 0 ? still + 1 : 0; // on a busy machine the first take their time
      last = now;
      if (still >= STALL_SECONDS || (last == 0 && second >= LOOP_SECONDS + STALL_SECONDS)) {
        return "stalled";
      }
    }
    return "goes on";
  }

  /** Whether callers that wait leave the carriers to others. */
  private static String await(OkHttpClient client, Request request) throws Exception {
    PinningReport report =
        PinningRecorder.record(
            0,
            () -> {
              List<Caller> callers = new ArrayList<>();
              for (int i = 0; i < WAITING; i++) {
                callers.add(
                    new Caller(
                        () -> {
                          call(client, request);
                          return true;
                        }));
              }
              for (Caller each : callers) {
                each.result();
              }
            });
    return report.peakCarriers() <= report.parallelism() + FEW
        ? "few carriers"
        : report.peakCarriers() + " carriers, where " + report.parallelism() + " are meant";
  }
}
