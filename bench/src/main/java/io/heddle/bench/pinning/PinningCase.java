package io.heddle.bench.pinning;

import io.heddle.conformance.Body;
import io.heddle.conformance.Call;
import io.heddle.conformance.Client;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Reply;
import io.heddle.conformance.Script;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;

/**
 * What a client is put through. Each makes a caller wait in another place; many virtual threads do
 * the same at a time.
 */
enum PinningCase {
  GET {
    @Override
    void run(Client client, FaultServer server) throws Exception {
      Script script = Script.ok().body(SMALL).delay(WAIT);
      succeed(client, Call.get(server.uri(script)), SMALL);
    }
  },
  POST {
    @Override
    void run(Client client, FaultServer server) throws Exception {
      Script script = Script.ok().body(SMALL).delay(WAIT);
      succeed(client, Call.post(server.uri(script), new Body.Bytes(new byte[SMALL])), SMALL);
    }
  },
  /** A body that comes in pieces, with a wait before each. */
  DOWNLOAD {
    @Override
    void run(Client client, FaultServer server) throws Exception {
      Script script = Script.ok().body(LARGE).drip(LARGE / 4, WAIT);
      succeed(client, Call.get(server.uri(script)), LARGE);
    }
  },
  /** A body that is written, more than goes out at once. */
  UPLOAD {
    @Override
    void run(Client client, FaultServer server) throws Exception {
      Body body = new Body.Writer(out -> out.write(new byte[LARGE]));
      succeed(client, Call.post(server.uri(Script.ok()), body), 0);
    }
  },
  /** The server breaks off in the body. */
  FAILURE {
    @Override
    void run(Client client, FaultServer server) throws Exception {
      Script script = Script.ok().body(LARGE).fault(Script.Fault.CLOSE, SMALL);
      fail(client, server.uri(script));
    }
  },
  /** The caller is interrupted while it waits. */
  INTERRUPT {
    @Override
    void run(Client client, FaultServer server) throws Exception {
      Thread caller = Thread.currentThread();
      Thread interrupter =
          Thread.startVirtualThread(
              () -> {
                try {
                  Thread.sleep(WAIT);
                  caller.interrupt();
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e); // nobody does that
                }
              });
      try {
        fail(client, server.uri(Script.ok().fault(Script.Fault.STALL)));
      } finally {
        while (!join(interrupter)) {
          Thread.interrupted();
        }
        Thread.interrupted();
      }
    }
  };

  private static final int SMALL = 1_000;
  private static final int LARGE = 512 * 1024;
  private static final Duration WAIT = Duration.ofMillis(20);

  /**
   * Makes the call.
   *
   * @throws Exception if it ends otherwise than it should
   */
  abstract void run(Client client, FaultServer server) throws Exception;

  private static void succeed(Client client, Call.Builder call, long bytes) throws Exception {
    try (Reply reply = client.prepare(call.build()).execute()) {
      long read = reply.body().transferTo(OutputStream.nullOutputStream());
      if (reply.status() != 200 || read != bytes) {
        throw new IOException("status " + reply.status() + ", " + read + " bytes");
      }
    }
  }

  private static void fail(Client client, URI uri) throws IOException {
    try (Reply reply = client.prepare(Call.get(uri).build()).execute()) {
      reply.body().transferTo(OutputStream.nullOutputStream());
    } catch (Exception e) {
      return; // as it should
    }
    throw new IOException("succeeded, where it should have failed");
  }

  /** Waits for its end, also if interrupted by it. */
  private static boolean join(Thread thread) {
    try {
      thread.join();
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }
}
