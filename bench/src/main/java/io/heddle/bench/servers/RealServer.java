package io.heddle.bench.servers;

import io.heddle.bench.contestants.Ask;
import io.heddle.bench.contestants.Certificate;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A server of somebody else's that runs on this machine, with files to get, on several ports. */
final class RealServer implements AutoCloseable {

  /** Which server. */
  enum Product {
    NGINX("nginx", "nginx.conf", "HUP"),
    HTTPD("apache2", "httpd.conf", "USR1"),
    HAPROXY("haproxy", "haproxy.cfg", "USR2"),
    NODE("node", "server.js", null),
    CADDY("caddy", "Caddyfile", null),
    GO("go", "server.go", null),
    SQUID("squid", "squid.conf", "HUP"),
    MICROSOCKS("microsocks", "", null);

    private final String program;
    private final String settings;
    private final @Nullable String reload;

    Product(String program, String settings, @Nullable String reload) {
      this.program = program;
      this.settings = settings;
      this.reload = reload;
    }

    /** Whether it is installed, with what it needs. */
    boolean isInstalled() {
      return find(program) != null && (!needsNginx() || NGINX.isInstalled());
    }

    private boolean needsNginx() {
      return this == HAPROXY || isProxy();
    }

    /** Whether calls to nginx go through it, which the client knows. */
    boolean isProxy() {
      return type() != Proxy.Type.DIRECT;
    }

    /** What a client knows it as. */
    Proxy.Type type() {
      return switch (this) {
        case SQUID -> Proxy.Type.HTTP;
        case MICROSOCKS -> Proxy.Type.SOCKS;
        default -> Proxy.Type.DIRECT;
      };
    }

    /** Whether it can take new settings while it serves; a proxy without settings starts anew. */
    boolean reloads() {
      return reload != null || this == CADDY || this == MICROSOCKS;
    }

    /** What has it read its settings anew. Caddy would not, without force, if they are the same. */
    private List<String> reload(Path dir, long pid) {
      return this == CADDY
          ? List.of(
              path(),
              "reload",
              "--force",
              "--config",
              dir.resolve(settings).toString(),
              "--adapter",
              "caddyfile")
          : List.of("kill", "-" + reload, String.valueOf(pid));
    }

    private List<String> command(Path dir, Map<Port, Integer> ports, String more) {
      String file = dir.resolve(settings).toString();
      String path = path();
      return switch (this) {
        case NGINX -> List.of(path, "-c", file, "-p", dir.toString());
        case HTTPD -> List.of(path, "-f", file, "-D", "FOREGROUND");
        case HAPROXY -> List.of(path, "-W", "-f", file);
        case NODE -> List.of(path, file);
        case CADDY -> List.of(path, "run", "--config", file, "--adapter", "caddyfile");
        case GO -> List.of(dir.resolve("server").toString());
        case SQUID -> List.of(path, "-N", "-f", file);
        case MICROSOCKS -> {
          List<String> command = new ArrayList<>(List.of(path, "-i", "127.0.0.1", "-p"));
          command.add(String.valueOf(ports.get(Port.PROXY)));
          command.addAll(more.isEmpty() ? List.of() : List.of(more.split(" ")));
          yield command;
        }
      };
    }

    /** What has to run before, to its end; empty if nothing. */
    private List<String> preparation(Path dir) {
      return this == GO
          ? List.of(
              path(),
              "build",
              "-o",
              dir.resolve("server").toString(),
              dir.resolve(settings).toString())
          : List.of();
    }

    private String path() {
      return Objects.requireNonNull(find(program), program).toString();
    }

    private static @Nullable Path find(String program) {
      return Stream.concat(
              Stream.of(System.getenv("PATH").split(":")),
              Stream.of("/usr/sbin", "/usr/local/go/bin"))
          .map(dir -> Path.of(dir, program))
          .filter(Files::isExecutable)
          .findFirst()
          .orElse(null);
    }
  }

  /** What a port is set to. */
  enum Port {
    /** HTTP/1.1, as the server has it. */
    PLAIN,
    /** HTTP/1.1, ten requests for each connection. */
    PLAIN_FEW,
    /** HTTP/1.1, an idle connection ends after 200 ms. */
    PLAIN_IDLE,
    /** TLS, with HTTP/2 and HTTP/1.1, as the server has it. */
    TLS,
    /** TLS, ten requests for each connection. */
    TLS_FEW,
    /** TLS, an idle connection ends after 200 ms. */
    TLS_IDLE,
    /** HTTP/2 over TLS, four streams at a time. */
    TLS_NARROW,
    /** TLS with a certificate of the client's; nginx: ten requests for each connection. */
    TLS_MUTUAL,
    /** HTTP/2 without TLS, by prior knowledge. */
    H2C,
    /** HTTP/2 without TLS, ten requests for each connection. */
    H2C_FEW,
    /** HTTP/2 without TLS, an idle connection ends after 200 ms. */
    H2C_IDLE,
    /** A proxy, as the client knows it. */
    PROXY,
    /** A proxy that lets nobody through: 403. */
    PROXY_FORBIDS,
    /** A proxy that asks for credentials, with 407, and knows one user. */
    PROXY_ASKS;

    private boolean isTls() {
      return name().startsWith("TLS");
    }

    /** Whether it takes HTTP/2 without being asked whether it does. */
    boolean isPriorKnowledge() {
      return name().startsWith("H2C");
    }

    private String variable() {
      return "${" + name().toLowerCase(Locale.ROOT).replace('_', '.') + "}";
    }
  }

  private static final int SMALL = 100;
  private static final int LARGE = 1024 * 1024;

  private final Product product;
  private final Path dir;
  private final @Nullable RealServer backend;
  private final List<String> command;
  private volatile Process process;
  private final Map<Port, Integer> ports;

  private RealServer(
      Product product,
      Path dir,
      @Nullable RealServer backend,
      List<String> command,
      Process process,
      Map<Port, Integer> ports) {
    this.product = product;
    this.dir = dir;
    this.backend = backend;
    this.command = List.copyOf(command);
    this.process = process;
    this.ports = ports;
  }

  /** Starts it as it is, and waits until it serves. */
  static RealServer start(Product product) throws IOException, InterruptedException {
    return start(product, "");
  }

  /**
   * Starts it, and waits until it serves.
   *
   * @param more settings for all its ports, if its file has a place for them, or arguments, if it
   *     has no file
   * @throws IOException if it does not, with what it said
   */
  static RealServer start(Product product, String more) throws IOException, InterruptedException {
    RealServer backend = product.needsNginx() ? start(Product.NGINX) : null;
    Path dir =
        Files.createTempDirectory(
            "heddle-" + product.program,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    Path files = Files.createDirectory(dir.resolve("files"));
    Files.write(files.resolve("small"), new byte[SMALL]);
    Files.write(files.resolve("large"), new byte[LARGE]);
    Files.write(files.resolve("post"), new byte[0]);
    Files.write(files.resolve("refused"), new byte[0]);
    Files.writeString(dir.resolve("server.pem"), Certificate.pem());
    Files.writeString(dir.resolve("users"), resource("users"));
    Map<Port, Integer> ports = new EnumMap<>(Port.class);
    String settings =
        (product.settings.isEmpty() ? Port.PROXY.variable() : resource(product.settings))
            .replace("${dir}", dir.toString());
    settings = settings.replace("${more}", more);
    settings = settings.replace("${modules}", "/usr/lib/apache2/modules");
    if (backend != null) {
      settings = settings.replace("${backend}", String.valueOf(backend.ports.get(Port.PLAIN)));
    }
    for (Port port : Port.values()) {
      if (settings.contains(port.variable())) {
        int number = free();
        while (ports.containsValue(number)) {
          number = free();
        }
        ports.put(port, number);
        settings = settings.replace(port.variable(), String.valueOf(number));
      }
    }
    if (!product.settings.isEmpty()) {
      Files.writeString(dir.resolve(product.settings), settings);
    }
    if (!product.preparation(dir).isEmpty()) {
      int exit = process(dir, product.preparation(dir)).waitFor();
      if (exit != 0) {
        throw new IOException(product + ": " + Files.readString(dir.resolve("output")));
      }
    }
    List<String> command = product.command(dir, ports, more);
    Process process = process(dir, command);
    RealServer server = new RealServer(product, dir, backend, command, process, ports);
    for (int port : ports.values()) {
      server.awaitListening(port);
    }
    return server;
  }

  private static Process process(Path dir, List<String> command) throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(dir.resolve("output").toFile())
        .start();
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = RealServer.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** A port that nobody listens on, of those that no connection of a client gets. */
  private static int free() throws IOException {
    for (int tries = 0; tries < 100; tries++) {
      int port = ThreadLocalRandom.current().nextInt(20_000, 30_000);
      if (isFree(port)) {
        return port;
      }
    }
    throw new IOException("no port is free between 20,000 and 30,000");
  }

  private static boolean isFree(int port) throws IOException {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (BindException e) {
      return false;
    }
  }

  private void awaitListening(int port) throws IOException, InterruptedException {
    for (int i = 0; i < 100 && process.isAlive(); i++) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
        return;
      } catch (IOException e) {
        Thread.sleep(100);
      }
    }
    String said = Files.readString(dir.resolve("output"));
    close();
    throw new IOException(product + " does not listen on " + port + ": " + said);
  }

  /** Whether it has a port that is set so. */
  boolean has(Port port) {
    return ports.containsKey(port) || (product.isProxy() && origin().has(port));
  }

  private RealServer origin() {
    return Objects.requireNonNull(backend, "no server behind");
  }

  Product product() {
    return product;
  }

  /** As a proxy on this port, which is told who comes or not; none if it is no proxy. */
  Ask.Via proxy(Port port, boolean isTold) {
    return product.isProxy()
        ? new Ask.Via(product.type(), Objects.requireNonNull(ports.get(port)), isTold)
        : Ask.Via.NOTHING;
  }

  /** Of a path on this port; through a proxy, of the server behind it. */
  URI uri(Port port, String path) {
    if (product.isProxy()) {
      return origin().uri(port, path);
    }
    return URI.create((port.isTls() ? "https" : "http") + "://127.0.0.1:" + ports.get(port) + path);
  }

  /** Has it read its settings anew; it goes on serving. */
  void reload() throws IOException, InterruptedException {
    if (product == Product.MICROSOCKS) {
      process.destroy();
      process.waitFor();
      process = process(dir, command);
      return;
    }
    Process reload =
        new ProcessBuilder(product.reload(dir, process.pid()))
            .redirectErrorStream(true)
            .redirectOutput(dir.resolve("reload").toFile())
            .start();
    if (reload.waitFor() != 0) {
      throw new IOException(product + ": " + Files.readString(dir.resolve("reload")));
    }
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroy();
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    try (Stream<Path> files = Files.walk(dir)) {
      for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    } catch (IOException e) {
      System.err.println("left behind: " + e);
    }
    if (backend != null) {
      backend.close();
    }
  }
}
