package io.heddle.bench.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;

/** {@link TargetServer} in a JVM of its own, so that its work is not counted as the client's. */
public final class TargetProcess implements AutoCloseable {

  /** How many addresses it listens on: more connections than one address has ports for. */
  public static final int ADDRESSES = 64;

  private static final String READY = "listening on ports ";

  private final Process process;
  private final int port;
  private final int tlsPort;
  private final String jvm;

  private TargetProcess(Process process, int port, int tlsPort, String jvm) {
    this.process = process;
    this.port = port;
    this.tlsPort = tlsPort;
    this.jvm = jvm;
  }

  /** Starts the server and waits until it listens. */
  public static TargetProcess start() throws IOException {
    Process process =
        Jvm.start(TargetProcess.class, List.of("-Xmx1g"))
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
    List<Integer> ports =
        List.of(line.substring(READY.length()).split(" ", -1)).stream()
            .map(Integer::valueOf)
            .toList();
    return new TargetProcess(process, ports.get(0), ports.get(1), out.readLine());
  }

  /** Its first address. */
  public URI uri() {
    return URI.create("http://127.0.0.1:" + port + "/");
  }

  /** Its address with TLS. */
  public URI tlsUri() {
    return URI.create("https://127.0.0.1:" + tlsPort + "/");
  }

  /** So many of its addresses without TLS, each with this path and query. */
  public List<URI> uris(int count, String path) {
    return IntStream.rangeClosed(1, count)
        .mapToObj(i -> URI.create("http://127.0.0." + i + ":" + port + path))
        .toList();
  }

  /** What its JVM runs with. */
  public String jvm() {
    return jvm;
  }

  public long pid() {
    return process.pid();
  }

  @Override
  public void close() {
    Jvm.end(process);
  }

  /** The server's own JVM. It ends with the process that started it, whose pipe it reads. */
  public static void main(String[] args) throws Exception {
    int threads = Runtime.getRuntime().availableProcessors();
    try (TargetServer server = new TargetServer(threads, ADDRESSES)) {
      System.out.println(READY + server.port() + " " + server.tlsPort());
      System.out.println(Jvm.flags());
      System.out.flush();
      System.in.transferTo(OutputStream.nullOutputStream());
    }
  }
}
