package io.heddle.conformance;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the client's side of a rule in a JVM of its own, while the server stays in this one. */
final class OtherJvm {

  /** What runs there. A class with a constructor without parameters. */
  interface Task {

    /**
     * Runs on a virtual thread.
     *
     * @throws AssertionError if what must be seen is not
     */
    void run(ClientDriver driver, Wire wire, List<String> args) throws Exception;
  }

  private static final String DONE = "done";

  /** How long another JVM may take in all; one that takes longer hangs. */
  private static final Duration PATIENCE = Bounds.LONG.multipliedBy(10);

  private OtherJvm() {}

  /** Runs the task there, and fails with what that JVM says if it fails there. */
  static void run(Kit kit, List<String> options, Class<? extends Task> task, Object... args)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:+UseSerialGC"); // starts fastest
    command.add(Bounds.option());
    command.addAll(options);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(OtherJvm.class.getName());
    command.add(kit.driver().getClass().getName());
    command.add(kit.wire().name());
    command.add(task.getName());
    Arrays.stream(args).map(Object::toString).forEach(command::add);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    Caller<String> output =
        kit.call(
            () ->
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .strip());
    try {
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError("the other JVM does not end");
      }
    } finally {
      process.destroyForcibly();
    }
    String said = output.result(Bounds.LONG);
    Kit.check(
        process.exitValue() == 0 && said.endsWith(DONE),
        "exit " + process.exitValue() + " of the other JVM:\n" + said);
  }

  /** Settings that trust the server. */
  static ClientSettings.Builder settings(Wire wire) {
    return ClientSettings.of(wire).trust(wire.isTls() ? Certificates.RIGHT.certificate() : null);
  }

  /** Arguments: the driver's class, the wire, the task's class, and those of the task. */
  public static void main(String[] args) throws Exception {
    ClientDriver driver = make(args[0], ClientDriver.class);
    Task task = make(args[2], Task.class);
    List<String> rest = List.of(args).subList(3, args.length);
    Caller<String> caller =
        new Caller<>(
            Thread.ofVirtual(),
            () -> {
              task.run(driver, Wire.valueOf(args[1]), rest);
              return DONE;
            });
    System.out.println(caller.start().result(PATIENCE));
  }

  private static <T> T make(String name, Class<T> type) throws ReflectiveOperationException {
    return Class.forName(name).asSubclass(type).getDeclaredConstructor().newInstance();
  }
}
