package io.heddle.conformance;

import java.net.URI;
import java.util.List;

/** Sends or receives a body of 200 MiB, over TLS of 72, in the other JVM, whose heap has 64 MiB. */
final class LargeBody implements OtherJvm.Task {

  /** Of the other JVM, as it is told. */
  static final String HEAP = "64m";

  /** Which body is large. */
  enum Way {
    UP,
    DOWN
  }

  /**
   * Over TLS not much more than the heap has, as a JVM without the better compiler may encipher
   * slowly.
   */
  static long length(Wire wire) {
    return (wire.isTls() ? 72 : 200) * 1024L * 1024;
  }

  /** Arguments: the way, the URI. */
  @Override
  public void run(ClientDriver driver, Wire wire, List<String> args) throws Exception {
    boolean down = Way.valueOf(args.get(0)) == Way.DOWN;
    URI uri = URI.create(args.get(1));
    long expected = length(wire);
    Call.Builder call =
        down ? Call.get(uri) : Call.post(uri, new Body.Writer(Contents.writer(expected)));
    try (Client client = driver.open(OtherJvm.settings(wire).build());
        Reply reply = client.prepare(call.build()).execute()) {
      long length = Contents.check(reply.body());
      Kit.check(reply.status() == 200, "status " + reply.status());
      Kit.check(length == (down ? expected : 0), length + " bytes");
    }
  }
}
