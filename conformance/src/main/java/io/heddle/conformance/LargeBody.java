package io.heddle.conformance;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Sends or receives a body of 200 MiB in a JVM of its own, whose heap has 64 MiB. */
final class LargeBody {

  static final long LENGTH = 200 * 1024 * 1024;

  /** Which body is large. */
  enum Way {
    UP,
    DOWN
  }

  private static final String DONE = "whole";

  private LargeBody() {}

  /** Makes the call in a JVM of its own, and fails with what that says if it fails there. */
  static void inSmallHeap(Kit kit, Way way, URI uri) throws IOException, InterruptedException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx64m",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            LargeBody.class.getName(),
            kit.driver().getClass().getName(),
            kit.wire().name(),
            way.name(),
            uri.toString());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    Caller<String> output =
        kit.call(
            () ->
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .strip());
    try {
      if (!process.waitFor(Bounds.LONG.toSeconds() * 4, TimeUnit.SECONDS)) {
        throw new AssertionError("the call in a small heap does not end");
      }
    } finally {
      process.destroyForcibly();
    }
    String said = output.result(Bounds.LONG);
    Kit.check(
        process.exitValue() == 0 && said.endsWith(DONE),
        "exit " + process.exitValue() + " of the JVM with a small heap:\n" + said);
  }

  /** Arguments: the driver's class, the wire, the way, the URI. */
  public static void main(String[] args) throws Exception {
    ClientDriver driver =
        Class.forName(args[0]).asSubclass(ClientDriver.class).getConstructor().newInstance();
    Wire wire = Wire.valueOf(args[1]);
    Caller<String> caller =
        new Caller<>(
            Thread.ofVirtual(),
            () -> call(driver, wire, Way.valueOf(args[2]), URI.create(args[3])));
    System.out.println(caller.start().result(Bounds.LONG.multipliedBy(4)));
  }

  private static String call(ClientDriver driver, Wire wire, Way way, URI uri) throws Exception {
    ClientSettings settings =
        ClientSettings.of(wire)
            .trust(wire.isTls() ? Certificates.RIGHT.certificate() : null)
            .build();
    Call call =
        way == Way.DOWN
            ? Call.get(uri).build()
            : Call.post(uri, new Body.Writer(Contents.writer(LENGTH))).build();
    try (Client client = driver.open(settings);
        Reply reply = client.prepare(call).execute()) {
      long length = Contents.check(reply.body());
      return reply.status() == 200 && length == (way == Way.DOWN ? LENGTH : 0)
          ? DONE
          : "status " + reply.status() + ", " + length + " bytes";
    }
  }
}
