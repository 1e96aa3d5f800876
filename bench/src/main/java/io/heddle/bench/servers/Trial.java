package io.heddle.bench.servers;

import io.heddle.bench.contestants.Ask;
import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.servers.RealServer.Port;
import java.net.Authenticator;
import java.net.URI;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Something that a server does to its clients. */
enum Trial {
  LARGE_BODIES("bodies of 1 MiB, down", Port.PLAIN, Port.TLS, "/large", Ask.GET),
  /** All but Node answer before they have read the body. */
  UPLOADS("uploads of 1 MiB", Port.PLAIN, Port.TLS, "/post", 1024 * 1024),
  FEW_REQUESTS("ten requests a connection", Port.PLAIN_FEW, Port.TLS_FEW, "/small", Ask.GET),
  FEW_STREAMS("four streams, 40 callers", null, Port.TLS_NARROW, "/small", Ask.GET),
  /** Only the calls of callers that nobody interrupts count. */
  INTERRUPTS(
      "bodies of 1 MiB beside calls that are interrupted",
      Port.TLS,
      Port.TLS_NARROW,
      "/large",
      Ask.GET),
  MUTUAL_TLS("mutual TLS", Port.TLS_MUTUAL, Port.TLS_MUTUAL, "/small", Ask.GET),
  IDLE("idle connections end after 200 ms", Port.PLAIN_IDLE, Port.TLS_IDLE, "/small", Ask.GET),
  RELOADS("reloads under load", Port.PLAIN, Port.TLS, "/small", Ask.GET),
  /** A call is right that tells of the status; what fails otherwise has lost it. */
  REFUSED_UPLOADS("uploads that are refused", Port.PLAIN, Port.TLS, "/refused", 4 * 1024 * 1024),
  TLS_BODIES("bodies of 1 MiB, over TLS", LARGE_BODIES, Port.TLS, null),
  TLS_FEW_REQUESTS("ten requests a connection, over TLS", FEW_REQUESTS, Port.TLS_FEW, null),
  TLS_IDLE("idle connections end after 200 ms, over TLS", IDLE, Port.TLS_IDLE, null),
  TLS_RELOADS("reloads under load, over TLS", RELOADS, Port.TLS, null),
  TLS_REFUSED_UPLOADS("uploads that are refused, over TLS", REFUSED_UPLOADS, Port.TLS, null),
  H2C_BODIES("bodies of 1 MiB, without TLS", LARGE_BODIES, null, Port.H2C),
  H2C_UPLOADS("uploads of 1 MiB, without TLS", UPLOADS, null, Port.H2C),
  H2C_FEW_REQUESTS("ten requests a connection, without TLS", FEW_REQUESTS, null, Port.H2C_FEW),
  H2C_IDLE("idle connections end after 200 ms, without TLS", IDLE, null, Port.H2C_IDLE),
  H2C_RELOADS("reloads under load, without TLS", RELOADS, null, Port.H2C),
  H2C_REFUSED_UPLOADS("uploads that are refused, without TLS", REFUSED_UPLOADS, null, Port.H2C),
  CALLS("calls", Port.PLAIN, Port.TLS, "/small", Ask.GET),
  HTTPS_CALLS("calls to https", Port.TLS, null, "/small", Ask.GET),
  PROXY_IDLE("the proxy ends idle connections", Port.PLAIN, Port.TLS, "/small", Ask.GET),
  /** As with refused uploads, a call is right that tells of the status. */
  FORBIDDEN("CONNECT is refused: 403", Port.TLS, Port.TLS, "/small", Ask.GET),
  UNAUTHORIZED("CONNECT is refused: 407", Port.TLS, Port.TLS, "/small", Ask.GET),
  CREDENTIALS("the proxy wants credentials", Port.PLAIN, Port.TLS, "/small", Ask.GET),
  CREDENTIALS_TLS("the proxy wants credentials, to https", Port.TLS, null, "/small", Ask.GET);

  /** What became of its calls. */
  record Outcome(int calls, Map<String, Integer> failures) {

    int failed() {
      return failures.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Whether there were calls that had no end in time. */
    boolean isEndless() {
      return failures.keySet().stream().anyMatch(each -> each.startsWith(NO_END));
    }
  }

  private static final Set<Trial> WITH_CREDENTIALS = EnumSet.of(CREDENTIALS, CREDENTIALS_TLS);
  private static final Set<Trial> OF_PROXIES =
      EnumSet.of(
          CALLS, HTTPS_CALLS, PROXY_IDLE, FORBIDDEN, UNAUTHORIZED, CREDENTIALS, CREDENTIALS_TLS);
  private static final Set<Trial> SHARED_WITH_PROXIES = EnumSet.of(LARGE_BODIES, UPLOADS, RELOADS);

  private static final String NO_END = "no end";
  private static final int CALLERS = 40;
  private static final int RELOAD_TIMES = 5;
  private static final int BODIES = 5;
  private static final int LONGEST_BEFORE_INTERRUPT = 30; // ms

  private final String title;
  private final @Nullable Trial base;
  private final @Nullable Port http1;
  private final @Nullable Port http2;
  private final String path;
  private final int postBytes;

  Trial(String title, @Nullable Port http1, @Nullable Port http2, String path, int postBytes) {
    this(title, null, http1, http2, path, postBytes);
  }

  /** Does what another does, on other ports. */
  Trial(String title, Trial base, @Nullable Port http1, @Nullable Port http2) {
    this(title, base, http1, http2, base.path, base.postBytes);
  }

  Trial(
      String title,
      @Nullable Trial base,
      @Nullable Port http1,
      @Nullable Port http2,
      String path,
      int postBytes) {
    this.title = title;
    this.base = base;
    this.http1 = http1;
    this.http2 = http2;
    this.path = path;
    this.postBytes = postBytes;
  }

  String title() {
    return title;
  }

  boolean isUpload() {
    return postBytes != Ask.GET;
  }

  /** Whether a library can do it. The JDK's asks over HTTP/1.1 whether it may speak HTTP/2. */
  boolean isFor(Library library) {
    return library != Library.JDK || http2 == null || !http2.isPriorKnowledge();
  }

  /** What happens, wherever it does. */
  private Trial kind() {
    return base == null ? this : base;
  }

  private @Nullable Port port(Wire wire) {
    return wire == Wire.HTTP_1 ? http1 : http2;
  }

  /** Whether this server can do it. */
  boolean isFor(RealServer.Product product, RealServer server, Wire wire) {
    Port port = port(wire);
    return port != null
        && server.has(port)
        && (product.isProxy()
            ? (OF_PROXIES.contains(this) || SHARED_WITH_PROXIES.contains(this))
                && server.has(proxy(product))
            : !OF_PROXIES.contains(this))
        && (this != PROXY_IDLE || product == RealServer.Product.SQUID)
        && (kind() != RELOADS || product.reloads());
  }

  /** What it wants a server to be set to; a tunnel that is silent on one side counts as idle. */
  String settings(RealServer.Product product) {
    if (product == RealServer.Product.MICROSOCKS) {
      return isTold() ? "-u " + Ask.Via.USER + " -P " + Ask.Via.PASSWORD : "";
    }
    return this == PROXY_IDLE ? "client_idle_pconn_timeout 1 second\nread_timeout 1 second\n" : "";
  }

  private boolean isTold() {
    return WITH_CREDENTIALS.contains(this);
  }

  /** Microsocks has one port, which asks who comes if it is set so. */
  private Port proxy(RealServer.Product product) {
    return switch (this) {
      case FORBIDDEN -> Port.PROXY_FORBIDS;
      case UNAUTHORIZED -> Port.PROXY_ASKS;
      case CREDENTIALS, CREDENTIALS_TLS ->
          product == RealServer.Product.MICROSOCKS ? Port.PROXY : Port.PROXY_ASKS;
      default -> Port.PROXY;
    };
  }

  /** What a call's failure has to tell of, as OkHttp says it too; empty if it must not fail. */
  private String refusal() {
    return switch (kind()) {
      case REFUSED_UPLOADS -> "^status 413$";
      case FORBIDDEN -> "\\b403\\b";
      case UNAUTHORIZED -> "\\b407\\b|authenticate with proxy";
      default -> "";
    };
  }

  /**
   * Tries a client that has this server for itself.
   *
   * @param patience how long the calls may take in all
   */
  Outcome run(Contestant contestant, RealServer server, Duration patience) throws Exception {
    return run(contestant, server, BODIES, patience);
  }

  /**
   * Tries a client that has this server for itself.
   *
   * @param bodies how many large bodies each caller sends or gets, where the trial is about those
   * @param patience how long the calls may take in all
   */
  Outcome run(Contestant contestant, RealServer server, int bodies, Duration patience)
      throws Exception {
    Port port = port(contestant.wire());
    if (port == null) {
      throw new IllegalArgumentException(this + " is not for " + contestant.wire());
    }
    URI uri = server.uri(port, path);
    Ask.Via via = server.proxy(proxy(server.product()), isTold());
    Ask ask = new Ask(List.of(uri), postBytes, false, true, via);
    Calls calls;
    Authenticator.setDefault(isTold() ? Ask.Via.authenticator() : null); // for the JDK's sockets
    try (Contestant.Running client = contestant.open(ask, CALLERS)) {
      calls = new Calls((Contestant.Blocking) client, refusal(), patience);
      switch (kind()) {
        case IDLE -> {
          for (int i = 0; i < 30; i++) {
            calls.make(8, 1);
            Thread.sleep(194 + i % 10); // around the moment at which the server leaves
          }
        }
        case PROXY_IDLE -> {
          for (int i = 0; i < 12; i++) {
            calls.make(8, 1);
            Thread.sleep(900 + 110 * i); // squid leaves one to two seconds later
          }
        }
        case RELOADS -> {
          CountDownLatch ended = calls.start(10, Duration.ofSeconds(3));
          for (int i = 0; i < RELOAD_TIMES; i++) {
            Thread.sleep(500);
            server.reload();
          }
          calls.await(ended);
        }
        case LARGE_BODIES, UPLOADS -> calls.make(CALLERS, bodies);
        case INTERRUPTS -> calls.makeBesideInterrupts(CALLERS, bodies * 5);
        case REFUSED_UPLOADS, FORBIDDEN, UNAUTHORIZED -> calls.make(4, 10);
        default -> calls.make(CALLERS, 25);
      }
    } finally {
      Authenticator.setDefault(null);
    }
    return calls.outcome();
  }

  /** Calls of many callers, and what failed. */
  private static final class Calls {
    private final Contestant.Blocking client;
    private final String refusal;
    private final Duration patience;
    private final AtomicInteger made = new AtomicInteger();
    private final Map<String, Integer> failures = new ConcurrentHashMap<>();

    Calls(Contestant.Blocking client, String refusal, Duration patience) {
      this.client = client;
      this.refusal = refusal;
      this.patience = patience;
    }

    /** So many callers make so many calls each. */
    void make(int callers, int times) throws InterruptedException {
      CountDownLatch ended = new CountDownLatch(callers);
      for (int i = 0; i < callers; i++) {
        start(
            ended,
            () -> {
              for (int k = 0; k < times; k++) {
                call();
              }
            });
      }
      await(ended);
    }

    /** The same, while half as many others make calls that are interrupted soon. */
    void makeBesideInterrupts(int callers, int times) throws InterruptedException {
      AtomicBoolean over = new AtomicBoolean();
      CountDownLatch ended = new CountDownLatch(callers / 2);
      for (int i = 0; i < callers / 2; i++) {
        Random random = new Random(i);
        start(ended, () -> interruptCalls(random, over));
      }
      try {
        make(callers, times);
      } finally {
        over.set(true);
      }
      await(ended);
    }

    private void interruptCalls(Random random, AtomicBoolean over) {
      try {
        while (!over.get()) {
          Thread caller = Thread.ofVirtual().start(this::callInVain);
          Thread.sleep(random.nextInt(LONGEST_BEFORE_INTERRUPT));
          caller.interrupt();
          caller.join();
        }
      } catch (InterruptedException e) {
        throw new IllegalStateException(e); // nobody interrupts this one
      }
    }

    private void callInVain() {
      try {
        client.call();
      } catch (Exception e) {
        return; // what becomes of it is not looked at
      }
    }

    /** So many callers make calls for this long. */
    CountDownLatch start(int callers, Duration time) {
      long end = System.nanoTime() + time.toNanos();
      CountDownLatch ended = new CountDownLatch(callers);
      for (int i = 0; i < callers; i++) {
        start(
            ended,
            () -> {
              while (System.nanoTime() - end < 0) {
                call();
              }
            });
      }
      return ended;
    }

    private static void start(CountDownLatch ended, Runnable work) {
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  work.run();
                } finally {
                  ended.countDown();
                }
              });
    }

    private void call() {
      made.incrementAndGet();
      try {
        client.call();
        if (!refusal.isEmpty()) {
          failures.merge("was answered", 1, Integer::sum);
        }
      } catch (Exception e) {
        if (refusal.isEmpty() || !tellsOf(refusal, e)) {
          failures.merge(kindOf(e), 1, Integer::sum);
        }
      }
    }

    void await(CountDownLatch ended) throws InterruptedException {
      if (!ended.await(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        failures.merge(NO_END + " within " + patience, (int) ended.getCount(), Integer::sum);
      }
    }

    private static boolean tellsOf(String refusal, Throwable failure) {
      Pattern told = Pattern.compile(refusal);
      return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
          .anyMatch(each -> told.matcher(String.valueOf(each.getMessage())).find());
    }

    private static String kindOf(Throwable failure) {
      Throwable root = failure;
      while (root.getCause() != null && root.getClass() == java.io.IOException.class) {
        root = root.getCause();
      }
      String message = String.valueOf(root.getMessage()).replaceAll("@[0-9a-f]+|[0-9]+", "#");
      return root.getClass().getSimpleName()
          + ": "
          + message.lines().findFirst().orElse("").replace('|', '/');
    }

    Outcome outcome() {
      return new Outcome(made.get(), new TreeMap<>(failures));
    }
  }
}
