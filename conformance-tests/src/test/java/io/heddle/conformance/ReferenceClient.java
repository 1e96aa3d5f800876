package io.heddle.conformance;

import io.heddle.CallsInFlight;
import io.heddle.DeadlineExceededException;
import io.heddle.IoThread;
import io.heddle.core.CallEvent;
import io.heddle.core.CallReport;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.CookieManager;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The reference client: what happens on the caller's thread. */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails shows as a closed channel
final class ReferenceClient implements Client, CallsInFlight {

  private static final AtomicInteger THREADS = new AtomicInteger();

  /** An I/O thread. */
  private static final class LoopThread extends FastThreadLocalThread implements IoThread {
    LoopThread(Runnable work) {
      super(work, "reference-loop-" + THREADS.incrementAndGet());
      setDaemon(true);
    }
  }

  final ClientSettings settings;
  final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(2, LoopThread::new, NioIoHandler.newFactory());
  final Set<ReferenceExchange> running = ConcurrentHashMap.newKeySet();
  final ReferencePool pool;

  private static final int MAX_REDIRECTS = 20;

  private final ExecutorService lookups =
      Executors.newCachedThreadPool(
          Thread.ofPlatform()
              .daemon()
              .name("reference-lookup-", 0)
              .inheritInheritableThreadLocals(false)
              .factory());
  private final Map<Exchange<?>, Prepared> waits = new ConcurrentHashMap<>();
  private final CookieManager cookies = new CookieManager();

  private volatile boolean closed;

  ReferenceClient(ClientSettings settings) {
    this.settings = settings;
    this.pool = new ReferencePool(this);
  }

  @Override
  public Prepared prepare(Call call) {
    return new Prepared(call);
  }

  @Override
  public int leases() {
    return pool.leases();
  }

  @Override
  public String describe() {
    return report().toString();
  }

  @Override
  public void close() {
    closed = true;
    ReferenceException failure = new ReferenceException(Failure.CLOSED, null);
    waits.keySet().forEach(each -> each.fail(failure));
    running.forEach(each -> each.fail(failure));
    pool.close();
    lookups.shutdownNow();
    loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private CallReport report() {
    CallReport report = new CallReport("ReferenceClient", this);
    waits.forEach(
        (wait, call) -> report.add(CallEvent.Step.CONNECTION, call.asked(), wait.waiter()));
    running.forEach(each -> each.tell(report));
    return report;
  }

  @Override
  public int inFlight() {
    return pool.leases();
  }

  @Override
  public int waiting() {
    return waits.size();
  }

  void onIoThread(Runnable work) throws InterruptedException, ExecutionException {
    loops.next().submit(work).get();
  }

  boolean isClosed() {
    return closed;
  }

  /** One call, with all its attempts. */
  final class Prepared implements PreparedCall {
    private final Call call;

    private volatile boolean cancelled;
    private volatile @Nullable Runnable canceller;

    CallEvent event = CallEvent.OFF;
    Deadline deadline = Deadline.none();

    // What a wrong driver does wrong.
    boolean ignoresLengths;
    boolean keepsHalfSent;
    boolean keepsWhatIsToBeClosed;
    boolean endsWithItsSource;
    boolean trustsDeadPaths;
    boolean stopsAtTheHead;
    boolean marksNothing;
    boolean tellsOfNoFailure;
    boolean mistakesItsEnd;
    int refusals = 100;
    Duration silence = settings.readTimeout();

    boolean bodyBegun;

    Prepared(Call call) {
      this.call = call;
    }

    @Override
    public Reply execute() throws IOException {
      if (!event.isOn()) { // by a wrong driver
        event = CallEvent.begin("reference");
        event.request(call.method(), call.uri().getHost(), call.uri().getPort());
      }
      try {
        ReferenceReply reply = attempts();
        reply.ends(event);
        return reply;
      } catch (Throwable t) {
        if (mistakesItsEnd) {
          event.failed(new IOException("given up"));
        } else if (!tellsOfNoFailure) {
          event.failed(t);
        }
        throw t;
      }
    }

    private ReferenceReply attempts() throws IOException {
      IoThread.forbidWaiting();
      deadline = deadline(call.deadline()).earlier(deadline(settings.deadline()));
      if (Thread.currentThread().isInterrupted() || deadline.isExpired()) {
        // A completion beats both, so nothing must begin that could complete.
        throw failed(new CancellationException(), Failure.READ_TIMEOUT);
      }
      URI uri = call.uri();
      boolean authorize = false;
      int attempts = 0;
      int redirects = 0;
      while (true) {
        ReferenceReply reply;
        try {
          reply = attempt(uri, authorize);
        } catch (ReferenceException e) {
          boolean refused = e.kind() == Failure.GOAWAY || e.kind() == Failure.REFUSED_STREAM;
          if (++attempts < (refused ? refusals : 3) && mayRetry(e)) {
            continue;
          }
          throw e;
        }
        if (settings.cookies()) {
          cookies.put(uri, Map.of("Set-Cookie", reply.headers("set-cookie")));
        }
        String location = reply.header("location");
        if (settings.followRedirects() && location != null && redirects++ < MAX_REDIRECTS) {
          reply.close();
          uri = uri.resolve(location);
        } else if (settings.credentials() != null && reply.status() == 401 && !authorize) {
          reply.close();
          authorize = true;
        } else {
          boolean gzip = "gzip".equals(reply.header("content-encoding")) && !isHead();
          if (settings.decompress() && gzip) {
            reply.decode(GzipBody::new);
          }
          return reply;
        }
      }
    }

    String asked() {
      return call.method() + " " + call.uri().getHost() + ":" + call.uri().getPort();
    }

    boolean isHead() {
      return call.method().equals("HEAD");
    }

    /** What a wrong driver calls in place of this; a cancel of this is one of that. */
    Prepared instead(Call other) {
      Prepared its = prepare(other);
      canceller = its::cancel;
      if (cancelled) {
        its.cancel();
      }
      return its;
    }

    @Override
    public void cancel() {
      cancelled = true;
      if (!mistakesItsEnd) {
        event.cancels();
      }
      Runnable abort = canceller;
      if (abort != null) {
        abort.run();
      }
    }

    /** The call as asked, but for what is meant for another origin than that of this URI. */
    private Call forOrigin(URI uri) {
      URI asked = call.uri();
      if (uri.getScheme().equals(asked.getScheme())
          && uri.getAuthority().equals(asked.getAuthority())) {
        return call;
      }
      return new Call(
          call.method(),
          asked,
          call.headers().stream()
              .filter(each -> !each.getKey().equalsIgnoreCase("authorization"))
              .toList(),
          call.body(),
          call.deadline(),
          call.expectContinue());
    }

    private ReferenceReply attempt(URI uri, boolean authorize) throws IOException {
      ReferencePool.Lease lease;
      try {
        lease = lease(uri);
      } catch (RejectedExecutionException e) {
        throw new ReferenceException(Failure.CLOSED, e);
      }
      ReferenceExchange exchange = new ReferenceExchange(ReferenceClient.this, this, lease);
      running.add(exchange);
      canceller = exchange::cancel;
      if (cancelled) {
        exchange.cancel();
      }
      if (closed) {
        exchange.fail(new ReferenceException(Failure.CLOSED, null));
      }
      boolean started = false;
      try {
        exchange.start(uri, forOrigin(uri), extraHeaders(uri, authorize));
        started = true;
      } catch (RejectedExecutionException e) {
        throw new ReferenceException(Failure.CLOSED, e);
      } finally {
        if (!started) { // also a field that cannot be
          lease.release(false);
        }
      }
      return exchange.await();
    }

    private ReferencePool.Lease lease(URI uri) throws IOException {
      mark(CallEvent.Step.NAME);
      InetSocketAddress address = new InetSocketAddress(lookup(uri.getHost()), uri.getPort());
      mark(CallEvent.Step.CONNECTION);
      return pool.lease(this, uri.getHost(), address);
    }

    void mark(CallEvent.Step step) {
      if (!marksNothing) {
        event.at(step);
      }
    }

    private InetAddress lookup(String host) throws IOException {
      Exchange<List<InetAddress>> answer = new Exchange<>();
      NameLookup lookup = settings.lookup();
      try {
        lookups.execute(
            () -> {
              try {
                answer.complete(
                    lookup == null || Character.isDigit(host.charAt(0))
                        ? List.of(InetAddress.getAllByName(host))
                        : lookup.lookup(host));
              } catch (UnknownHostException e) {
                answer.fail(new ReferenceException(Failure.UNKNOWN_HOST, e));
              } catch (Throwable t) {
                answer.fail(t);
              }
            });
      } catch (RejectedExecutionException e) {
        throw new ReferenceException(Failure.CLOSED, e);
      }
      return await(answer, Failure.CONNECT_TIMEOUT, settings.connectTimeout()).get(0);
    }

    /**
     * Waits, so that an interrupt, the deadline, a cancel and a close end it.
     *
     * @param timeout the library's own
     * @param kind what its end is
     */
    <T> T await(Exchange<T> exchange, Failure kind, Duration timeout) throws IOException {
      if (kind == Failure.LEASE_TIMEOUT) {
        mark(CallEvent.Step.PLACE);
      }
      waits.put(exchange, this);
      canceller = exchange::cancel;
      if (cancelled) {
        exchange.cancel();
      }
      if (closed) {
        exchange.fail(new ReferenceException(Failure.CLOSED, null));
      }
      try {
        if (Thread.currentThread().isInterrupted() || deadline.isExpired()) {
          exchange.cancel();
        }
        return exchange.await(deadline.earlier(Deadline.after(timeout)));
      } catch (Exception e) {
        throw failed(e, kind);
      } finally {
        waits.remove(exchange);
      }
    }

    /** A fresh exception, made here, so that it has the caller's frames. */
    IOException failed(Exception failure, Failure timeout) {
      if (failure instanceof InterruptedException || Thread.currentThread().isInterrupted()) {
        Thread.currentThread().interrupt();
        InterruptedIOException interrupted = new InterruptedIOException();
        interrupted.initCause(failure);
        return interrupted;
      }
      if (deadline.isExpired()
          && (failure instanceof TimeoutException || failure instanceof CancellationException)) {
        return new DeadlineExceededException("the deadline is over");
      }
      if (failure instanceof TimeoutException) {
        return new ReferenceException(timeout, failure);
      }
      if (failure instanceof CancellationException) {
        return new ReferenceException(closed ? Failure.CLOSED : Failure.CANCELLED, failure);
      }
      Throwable cause = failure.getCause() == null ? failure : failure.getCause();
      Failure kind =
          cause instanceof ReferenceException known ? known.kind() : Failure.RESET_BEFORE_HEAD;
      return new ReferenceException(kind, cause);
    }

    private boolean mayRetry(ReferenceException failure) {
      boolean repeatable =
          !bodyBegun || call.body() instanceof Body.Bytes || call.body() instanceof Body.OfFile;
      return repeatable
          && !cancelled
          && (failure.kind() == Failure.GOAWAY
              || failure.kind() == Failure.REFUSED_STREAM
              || (failure.kind() == Failure.RESET_BEFORE_HEAD
                  && failure.getCause() instanceof ReferenceExchange.Stale
                  && !call.method().equals("POST")));
    }

    private Map<String, String> extraHeaders(URI uri, boolean authorize) throws IOException {
      Map<String, String> extra = new ConcurrentHashMap<>();
      ClientSettings.Credentials credentials = settings.credentials();
      if (authorize && credentials != null) {
        String plain = credentials.user() + ":" + credentials.password();
        extra.put(
            "authorization",
            "Basic " + Base64.getEncoder().encodeToString(plain.getBytes(StandardCharsets.UTF_8)));
      }
      if (settings.decompress()) {
        extra.put("accept-encoding", "gzip");
      }
      if (settings.cookies()) {
        List<String> kept = cookies.get(uri, Map.of()).getOrDefault("Cookie", List.of());
        if (!kept.isEmpty()) {
          extra.put("cookie", String.join("; ", kept));
        }
      }
      return extra;
    }

    private static Deadline deadline(@Nullable Duration duration) {
      return duration == null ? Deadline.none() : Deadline.after(duration);
    }
  }

  /** What a body's stream is wrapped with. */
  @FunctionalInterface
  interface Decoder {
    InputStream decode(InputStream in) throws IOException;
  }
}
