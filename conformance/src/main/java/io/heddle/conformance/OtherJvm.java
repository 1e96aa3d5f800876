package io.heddle.conformance;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs the client's side of some rules in a JVM of its own, while the server stays in this one: it
 * has a small heap, and nobody else uses its virtual threads. A suite has one, which starts with
 * the first task and does one after another.
 *
 * <pre>{@code
 * NONE ──run──▶ RUNNING ──run──▶ RUNNING  the task is done
 *  ▲ ▲             │ └───run──▶ NONE      the task has failed, or does not end: the next starts anew
 *  │ └────close────┘
 *  └ from the beginning
 * }</pre>
 *
 * <p>Each task is a line to its standard input: the task's class and its arguments, none of which
 * has a space. Its output, up to the line {@value #DONE}, is what the task says; a task that fails
 * ends the JVM. Not for two threads at a time.
 */
final class OtherJvm implements AutoCloseable {

  /** What runs there. A class with a constructor without parameters. */
  interface Task {

    /**
     * Runs on a virtual thread.
     *
     * @throws AssertionError if what must be seen is not
     */
    void run(ClientDriver driver, Wire wire, List<String> args) throws Exception;
  }

  /** What the JVM has said; not done, it has ended. */
  private record Answer(boolean done, String said) {}

  private static final String DONE = "done";

  /** Where the JVM is told what to do with what is logged. */
  private static final String LOGGING = "java.util.logging.config.file";

  /** How options of this JVM begin that the other has too: what compiles, and what enciphers. */
  private static final List<String> TAKEN_ON =
      List.of(
          "-XX:TieredStopAtLevel",
          "--enable-native-access",
          "-Djdk.tls.namedGroups",
          "-Djava.security.properties");

  /** How long a task may take in all; one that takes longer hangs. */
  private static final Duration PATIENCE = Bounds.LONG.multipliedBy(10);

  private final ClientDriver driver;
  private final Wire wire;

  private @Nullable Process process;

  OtherJvm(ClientDriver driver, Wire wire) {
    this.driver = driver;
    this.wire = wire;
  }

  /** Runs the task there, returns what it says, and fails with that if it fails there. */
  String run(Kit kit, Class<? extends Task> task, Object... args)
      throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of(task.getName()));
    for (Object each : args) {
      words.add(each.toString());
    }
    Process running = running();
    Caller<Answer> asking = kit.call(() -> ask(running, String.join(" ", words)));
    boolean done = false;
    try {
      Bounds.await(PATIENCE, "the other JVM is done, or ends", asking::isDone);
      Answer answer = asking.result(Bounds.PROMPT);
      done = answer.done();
      if (!done) {
        throw new AssertionError(
            "exit " + running.waitFor() + " of the other JVM:\n" + answer.said().strip());
      }
      return answer.said();
    } finally {
      if (!done) {
        close();
      }
    }
  }

  /** Ends the JVM, if there is one. */
  @Override
  public void close() {
    Process running = process;
    process = null;
    if (running != null) {
      running.destroyForcibly();
    }
  }

  private Process running() throws IOException {
    Process running = process;
    if (running == null) {
      running = new ProcessBuilder(command()).redirectErrorStream(true).start();
      process = running;
    }
    return running;
  }

  private List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx" + LargeBody.HEAP);
    command.add("-XX:+ExitOnOutOfMemoryError");
    command.add("-XX:+UseSerialGC"); // starts fastest
    for (String each : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (TAKEN_ON.stream().anyMatch(each::startsWith)) {
        command.add(each);
      }
    }
    command.add(Bounds.option());
    String logging = System.getProperty(LOGGING);
    if (logging != null) {
      command.add("-D" + LOGGING + "=" + logging);
    }
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(OtherJvm.class.getName());
    command.add(driver.getClass().getName());
    command.add(wire.name());
    return command;
  }

  /** Gives the JVM a task, and takes down what it says until it is done, or ends. */
  private static Answer ask(Process process, String task) throws IOException {
    BufferedWriter to = process.outputWriter(StandardCharsets.UTF_8);
    to.write(task);
    to.newLine();
    to.flush();
    BufferedReader from = process.inputReader(StandardCharsets.UTF_8);
    StringBuilder said = new StringBuilder();
    String line = from.readLine();
    while (line != null && !line.equals(DONE)) {
      said.append(line).append('\n');
      line = from.readLine();
    }
    return new Answer(line != null, said.toString());
  }

  /** Settings that trust the server. */
  static ClientSettings.Builder settings(Wire wire) {
    return ClientSettings.of(wire).trust(wire.isTls() ? Certificates.RIGHT.certificate() : null);
  }

  /** Arguments: the driver's class and the wire. */
  public static void main(String[] args) throws Exception {
    ClientDriver driver = make(args[0], ClientDriver.class);
    Wire wire = Wire.valueOf(args[1]);
    BufferedReader tasks =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = tasks.readLine(); line != null; line = tasks.readLine()) {
      List<String> words = List.of(line.split(" ", -1));
      Task task = make(words.get(0), Task.class);
      Caller<String> caller =
          new Caller<>(
              Thread.ofVirtual(),
              () -> {
                task.run(driver, wire, words.subList(1, words.size()));
                return DONE;
              });
      System.out.println(caller.start().result(PATIENCE));
    }
  }

  private static <T> T make(String name, Class<T> type) throws ReflectiveOperationException {
    return Class.forName(name).asSubclass(type).getDeclaredConstructor().newInstance();
  }
}
