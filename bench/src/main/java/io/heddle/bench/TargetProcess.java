package io.heddle.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** {@link TargetServer} in a JVM of its own, so that its work is not counted as the client's. */
final class TargetProcess implements AutoCloseable {

  private static final String READY = "listening on ";

  private final Process process;
  private final URI uri;

  private TargetProcess(Process process, URI uri) {
    this.process = process;
    this.uri = uri;
  }

  /** Starts the server and waits until it listens. */
  static TargetProcess start() throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path"),
                TargetProcess.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line = out.readLine();
    if (line == null || !line.startsWith(READY)) {
      process.destroy();
      throw new IOException("the embedded server did not start: " + line);
    }
    return new TargetProcess(process, URI.create(line.substring(READY.length())));
  }

  URI uri() {
    return uri;
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  /** The server's own JVM. It ends with the process that started it, whose pipe it reads. */
  public static void main(String[] args) throws Exception {
    try (TargetServer server = new TargetServer(Runtime.getRuntime().availableProcessors())) {
      System.out.println(READY + "http://127.0.0.1:" + server.port() + "/");
      System.out.flush();
      System.in.transferTo(OutputStream.nullOutputStream());
    }
  }
}
