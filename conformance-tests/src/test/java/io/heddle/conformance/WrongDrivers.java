package io.heddle.conformance;

import io.heddle.IoThread;
import io.heddle.core.CallEvent;
import io.heddle.core.Deadline;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2FrameCodec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Drivers that are wrong on purpose, each in one way. */
@SuppressWarnings("FutureReturnValueIgnored") // what comes of it shows in the call
final class WrongDrivers {

  private WrongDrivers() {}

  /** Lets the right client make the call, but for one thing that it then does not do. */
  abstract static class SpoiltDriver extends WrappedDriver {
    abstract void spoil(ReferenceClient.Prepared right);

    @Override
    final Reply execute(Attempt attempt) throws Exception {
      spoil(attempt.right());
      return super.execute(attempt);
    }
  }

  // ---- interrupt and deadline -----------------------------------------------------------------

  /** The call goes on without its caller. */
  static final class LeaksOnInterrupt extends NaiveBridge {}

  /** As above, where the caller's time is over. */
  static final class LeaksOnDeadline extends NaiveBridge {
    @Override
    Call prepare(ReferenceClient client, Call call) {
      return new Call(
          call.method(), call.uri(), call.headers(), call.body(), null, call.expectContinue());
    }

    @Override
    Reply execute(Attempt attempt) throws Exception {
      return await(start(attempt), attempt.asked().deadline());
    }
  }

  /** A lease that comes as its caller is interrupted is nobody's. */
  static final class LosesLateLeases extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      try {
        return super.execute(attempt);
      } catch (InterruptedIOException e) {
        attempt.client().pool.connections.take();
        throw e;
      }
    }
  }

  static final class LosesTheFlag extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      try {
        return super.execute(attempt);
      } catch (InterruptedIOException e) {
        Thread.interrupted();
        throw e;
      }
    }
  }

  static final class SetsTheFlag extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      try {
        return super.execute(attempt);
      } catch (IOException e) {
        Thread.currentThread().interrupt();
        throw e;
      }
    }
  }

  static final class ThrowsTheWrongType extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      try {
        return super.execute(attempt);
      } catch (InterruptedIOException e) {
        throw new IOException("interrupted", e);
      }
    }
  }

  /** And takes no long time about it. */
  static final class SendsAlthoughInterrupted extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      if (!Thread.interrupted()) {
        return super.execute(attempt);
      }
      Call asked = attempt.asked();
      Call brief =
          new Call(
              asked.method(),
              asked.uri(),
              asked.headers(),
              asked.body(),
              Bounds.PROMPT,
              asked.expectContinue());
      try {
        attempt.right().instead(brief).execute().close();
      } finally {
        Thread.currentThread().interrupt();
      }
      throw new InterruptedIOException("interrupted");
    }
  }

  static final class ForgetsTheDeadlineAtTheHead extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      Reply reply = super.execute(attempt);
      attempt.right().deadline = Deadline.none();
      return reply;
    }
  }

  /** Stands about, where it should not even have begun. */
  static final class TakesItsTimeWhenInterrupted extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      if (Thread.interrupted()) {
        Thread.sleep(Bounds.PROMPT.multipliedBy(2));
        Thread.currentThread().interrupt();
      }
      return super.execute(attempt);
    }
  }

  /** Stands about, where a response is closed before its end. */
  static final class TakesItsTimeToClose extends WrappedDriver {
    @Override
    InputStream body(ReferenceClient client, InputStream body) {
      return new FilterInputStream(body) {
        private boolean over;

        @Override
        public int read(byte[] b, int off, int len) throws IOException {
          int n = super.read(b, off, len);
          over |= n < 0;
          return n;
        }

        @Override
        public void close() throws IOException {
          if (!over) {
            over = true;
            Bounds.park(Bounds.PROMPT.multipliedBy(2));
          }
          super.close();
        }
      };
    }
  }

  /** Closes the connection where the stream would do. */
  static final class CancelsSiblings extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      try {
        return super.execute(attempt);
      } catch (InterruptedIOException e) {
        attempt.client().pool.close();
        throw e;
      }
    }
  }

  // ---- bodies ---------------------------------------------------------------------------------

  /** The header fields of a response are those of another call's. */
  static final class MixesUpHeads extends WrappedDriver {
    private final AtomicReference<@Nullable Reply> last = new AtomicReference<>();

    @Override
    Reply head(Reply reply) {
      return Objects.requireNonNullElse(last.getAndSet(reply), reply);
    }
  }

  static final class BuffersTheResponse extends WrappedDriver {
    @Override
    InputStream body(ReferenceClient client, InputStream body) throws IOException {
      return new ByteArrayInputStream(body.readAllBytes());
    }
  }

  static final class BuffersTheRequest extends WrappedDriver {
    @Override
    Call prepare(ReferenceClient client, Call call) {
      return call.body() == null ? call : with(call, new Body.Writer(out -> out.write(all(call))));
    }

    private static byte[] all(Call call) throws IOException {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      write(call.body(), all);
      return all.toByteArray();
    }
  }

  static final class TakesTruncatedForWhole extends WrappedDriver {
    @Override
    InputStream body(ReferenceClient client, InputStream body) {
      return new WrappedStream(body) {
        @Override
        public int read(byte[] b, int off, int len) throws IOException {
          try {
            return in.read(b, off, len);
          } catch (ReferenceException e) {
            if (e.kind() == Failure.TRUNCATED) {
              return -1;
            }
            throw e;
          }
        }
      };
    }
  }

  static final class TakesBrokenForWhole extends WrappedDriver {
    @Override
    InputStream body(ReferenceClient client, InputStream body) {
      return new WrappedStream(body) {
        @Override
        public int read(byte[] b, int off, int len) throws IOException {
          try {
            return in.read(b, off, len);
          } catch (ReferenceException e) {
            return -1;
          }
        }
      };
    }
  }

  static final class IgnoresLengths extends SpoiltDriver {
    @Override
    void spoil(ReferenceClient.Prepared right) {
      right.ignoresLengths = true;
    }
  }

  // ---- the library's own timeout --------------------------------------------------------------

  /** Has no read timeout for what has a body. */
  static final class WaitsForAnswersToPosts extends SpoiltDriver {
    @Override
    void spoil(ReferenceClient.Prepared right) {
      if (right.asked().startsWith("POST")) {
        right.silence = Bounds.LONG.multipliedBy(2);
      }
    }
  }

  static final class TimesOutEarly extends SpoiltDriver {
    @Override
    void spoil(ReferenceClient.Prepared right) {
      right.silence = right.silence.dividedBy(4);
    }
  }

  // ---- connections ----------------------------------------------------------------------------

  /** Gives a connection back although the request has not been sent to its end. */
  static final class KeepsHalfSent extends SpoiltDriver {
    @Override
    void spoil(ReferenceClient.Prepared right) {
      right.keepsHalfSent = true;
    }
  }

  /** Does not look at {@code Connection: close}: the server would close, as it seems. */
  static final class KeepsWhatIsToBeClosed extends SpoiltDriver {
    @Override
    void spoil(ReferenceClient.Prepared right) {
      right.keepsWhatIsToBeClosed = true;
    }
  }

  /** Ends an upload of known length when its source says so, and not with its last byte. */
  static final class EndsWithItsSource extends SpoiltDriver {
    @Override
    void spoil(ReferenceClient.Prepared right) {
      right.endsWithItsSource = true;
    }
  }

  static final class TrustsDeadPaths extends SpoiltDriver {
    @Override
    void spoil(ReferenceClient.Prepared right) {
      right.trustsDeadPaths = true;
    }
  }

  /** Gives the server no window, where somebody is interrupted; that ends the connection. */
  static final class BreaksTheProtocol extends WrappedDriver {
    private static final byte[] NO_WINDOW = {0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0};

    @Override
    Reply execute(Attempt attempt) throws Exception {
      try {
        return super.execute(attempt);
      } catch (InterruptedIOException e) {
        for (Channel each : attempt.client().pool.channels) {
          ChannelHandlerContext codec = each.pipeline().context(Http2FrameCodec.class);
          if (codec != null) {
            codec.writeAndFlush(Unpooled.wrappedBuffer(NO_WINDOW));
          }
        }
        throw e;
      }
    }
  }

  /** Sends no more of a body once the head of an answer is there. */
  static final class StopsAtTheHead extends SpoiltDriver {
    @Override
    void spoil(ReferenceClient.Prepared right) {
      right.stopsAtTheHead = true;
    }
  }

  /** Sends again once what the server refused, and no more. */
  static final class GivesUpWhenRefusedTwice extends SpoiltDriver {
    @Override
    void spoil(ReferenceClient.Prepared right) {
      right.refusals = 2;
    }
  }

  /** Leaves it to the user to send again what the server refused. */
  static final class GivesUpWhenRefused extends SpoiltDriver {
    @Override
    void spoil(ReferenceClient.Prepared right) {
      right.refusals = 1;
    }
  }

  /**
   * Sends again what the server refused, as often and as fast as it can. On a busy machine one
   * sender alone may be slow enough to pass.
   */
  static final class StormsWhenRefused extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      attempt.right().refusals = Integer.MAX_VALUE;
      if (attempt.asked().deadline() != null) { // which ends the others, too
        for (int i = 0; i < 7; i++) {
          ReferenceClient.Prepared another = attempt.client().prepare(attempt.asked());
          another.refusals = Integer.MAX_VALUE;
          NaiveBridge.start(new Attempt(attempt.client(), attempt.asked(), another));
        }
      }
      return super.execute(attempt);
    }
  }

  /** Each time that the server refuses, the call has its whole time again. */
  static final class BeginsAnewWhenRefused extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      while (true) {
        try {
          attempt.right().refusals = 1;
          return super.execute(attempt);
        } catch (ReferenceException e) {
          if (e.kind() != Failure.REFUSED_STREAM) {
            throw e;
          }
        }
      }
    }
  }

  /** Takes one connection for all hosts that have its address. */
  static final class SharesAmongHosts extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      attempt.client().pool.sharesAmongHosts = true;
      return super.execute(attempt);
    }
  }

  /** Goes on with a connection that the server leaves. */
  static final class MissesGoAway extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      attempt.client().pool.missesGoAway = true;
      return super.execute(attempt);
    }
  }

  /** Takes a server that leaves for one that has left. */
  static final class EndsAtGoAway extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      attempt.client().pool.endsAtGoAway = true;
      return super.execute(attempt);
    }
  }

  /** Takes what one call fails with for the end of all. */
  static final class EndsAllWhenOneFails extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      try {
        return super.execute(attempt);
      } catch (Exception | Error e) {
        attempt.client().pool.close();
        Bounds.holds(Bounds.PROMPT, () -> attempt.client().leases() == 0); // the others have heard
        throw e;
      }
    }
  }

  // ---- uploads --------------------------------------------------------------------------------

  /** Closes what the body is written to, as one does, also if the writing has failed. */
  static final class EndsBrokenUploads extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      Body body = attempt.asked().body();
      if (body == null) {
        return super.execute(attempt);
      }
      IOException[] failure = {null};
      Body cut =
          new Body.Writer(
              out -> {
                try {
                  write(body, out);
                } catch (IOException e) {
                  failure[0] = e;
                }
              });
      Reply reply = attempt.right().instead(with(attempt.asked(), cut)).execute();
      if (failure[0] != null) {
        reply.close();
        throw failure[0];
      }
      return reply;
    }
  }

  /** The same with a pipe and a thread, where an interrupt leaves both alone. */
  static final class EndsInterruptedUploads extends NaiveBridge {
    private final AtomicInteger callers = new AtomicInteger();

    @Override
    Reply execute(Attempt attempt) throws Exception {
      Body body = attempt.asked().body();
      if (body == null) {
        return attempt.right().execute();
      }
      callers.incrementAndGet();
      CompletableFuture<Reply> future;
      try (PipedOutputStream out = new PipedOutputStream()) {
        Body pipe = new Body.Stream(new PipedInputStream(out), -1);
        ReferenceClient.Prepared right = attempt.client().prepare(with(attempt.asked(), pipe));
        future = start(new Attempt(attempt.client(), attempt.asked(), right));
        write(body, out);
      } catch (InterruptedIOException e) {
        Thread.currentThread().interrupt();
        throw e;
      } finally {
        callers.decrementAndGet();
      }
      return await(future, null);
    }

    /** Nobody waits for it, so it is taken to be free. */
    @Override
    int leases(ReferenceClient client) {
      return callers.get();
    }
  }

  /** Takes a GOAWAY for said that was not, where a body can be sent once only. */
  static final class GivesUpUploads extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      if (attempt.asked().body() instanceof Body.Writer
          && !Thread.currentThread().isInterrupted()) {
        throw new ReferenceException(Failure.GOAWAY, null);
      }
      return super.execute(attempt);
    }
  }

  /** Likewise of calls that have a deadline. */
  static final class RefusesDeadlines extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      if (attempt.asked().deadline() != null && !Thread.currentThread().isInterrupted()) {
        throw new ReferenceException(Failure.GOAWAY, null);
      }
      return super.execute(attempt);
    }
  }

  /** An answer that comes before the end of an upload is dropped, and told as a reset. */
  static final class DropsEarlyAnswers extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      Reply reply = super.execute(attempt);
      if (reply.status() == 413 && !(attempt.asked().body() instanceof Body.Bytes)) {
        reply.close();
        throw new ReferenceException(Failure.STREAM_RESET, null);
      }
      return reply;
    }
  }

  /** What ends a body, be it its reader's interrupt or the deadline, is told as a reset. */
  static final class BlamesTheServer extends WrappedDriver {
    @Override
    InputStream body(ReferenceClient client, InputStream in) {
      return new WrappedStream(in) {
        @Override
        public int read(byte[] b, int off, int len) throws IOException {
          try {
            return in.read(b, off, len);
          } catch (InterruptedIOException e) {
            throw new ReferenceException(Failure.STREAM_RESET, e);
          }
        }
      };
    }
  }

  /** Whatever has come of the first. */
  static final class SendsAllBytesTwice extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      if (attempt.asked().body() instanceof Body.Bytes) {
        attempt.right().instead(attempt.asked()).execute().close();
      }
      return super.execute(attempt);
    }
  }

  static class SendsPostsTwice extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      try {
        return super.execute(attempt);
      } catch (ReferenceException e) {
        if (e.kind() == Failure.RESET_BEFORE_HEAD && isRepeated(attempt.asked())) {
          return attempt.client().prepare(attempt.asked()).execute();
        }
        throw e;
      }
    }

    boolean isRepeated(Call call) {
      return true;
    }
  }

  /** Takes a request that has nothing to send for one that changes nothing. */
  static final class SendsEmptyPostsTwice extends SendsPostsTwice {
    @Override
    boolean isRepeated(Call call) {
      return call.body() instanceof Body.Bytes body && body.bytes().length == 0;
    }
  }

  // ---- threads --------------------------------------------------------------------------------

  /** Looks again and again whether the call has come to its end. */
  static final class SpinsWhileItWaits extends NaiveBridge {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      CompletableFuture<Reply> future = start(attempt);
      while (!future.isDone() && !Thread.currentThread().isVirtual()) { // or no other would run
        Thread.onSpinWait(); // the defect: it uses the CPU that it should leave to others
      }
      return await(future, null);
    }
  }

  /** Reads on where it was interrupted, and is interrupted still. */
  static final class SpinsWhenInterrupted extends WrappedDriver {
    @Override
    InputStream body(ReferenceClient client, InputStream body) {
      return new WrappedStream(body) {
        @Override
        public int read(byte[] b, int off, int len) throws IOException {
          while (true) {
            try {
              return in.read(b, off, len);
            } catch (InterruptedIOException e) {
              if (client.isClosed()) {
                throw e;
              }
            }
          }
        }
      };
    }
  }

  static final class ReadsTheRequestOnTheIoThread extends WrappedDriver {
    @Override
    Call prepare(ReferenceClient client, Call call) {
      if (!(call.body() instanceof Body.Stream stream)) {
        return call;
      }
      InputStream moved =
          new WrappedStream(stream.in()) {
            @Override
            public int read(byte[] b, int off, int len) throws IOException {
              try {
                return client.loops.next().submit(() -> in.read(b, off, len)).get();
              } catch (InterruptedException | ExecutionException e) {
                throw new IOException(e);
              }
            }
          };
      return with(call, new Body.Stream(moved, stream.length()));
    }
  }

  static final class BlocksTheIoThread extends NaiveBridge {
    @Override
    InputStream body(ReferenceClient client, InputStream body) {
      return new WrappedStream(body) {
        @Override
        public int read(byte[] b, int off, int len) throws IOException {
          if (!(Thread.currentThread() instanceof IoThread)) {
            return in.read(b, off, len);
          }
          CompletableFuture<Integer> future = new CompletableFuture<>();
          Thread.startVirtualThread(
              () -> {
                try {
                  future.complete(in.read(b, off, len));
                } catch (IOException e) {
                  future.completeExceptionally(e);
                }
              });
          return future.join();
        }
      };
    }
  }

  /** Holds its carrier while it waits, on every JDK. */
  static final class PinsCarriers extends NaiveBridge {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      CountDownLatch done = new CountDownLatch(1);
      CompletableFuture<Reply> future = start(attempt);
      future.whenComplete((reply, failure) -> done.countDown());
      HeldCarrier.await(done);
      return await(future, null);
    }
  }

  /** Holds its carrier for a moment where its connection has ended under it. */
  static final class PinsWhenCut extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      try {
        return super.execute(attempt);
      } catch (ReferenceException e) {
        if (e.kind() == Failure.RESET_BEFORE_HEAD) {
          CountDownLatch done = new CountDownLatch(1);
          CompletableFuture.delayedExecutor(5, TimeUnit.MILLISECONDS).execute(done::countDown);
          HeldCarrier.await(done);
        }
        throw e;
      }
    }
  }

  /** Where the caller's thread-locals, its MDC and its spans are not. */
  static final class LeavesTheCallersThread extends NaiveBridge {}

  /** Runs calls on threads of a pool, which inherit from whoever had them made. */
  static final class InheritsFromTheFirstCaller extends NaiveBridge {
    private final Map<ReferenceClient, ExecutorService> threads = new ConcurrentHashMap<>();

    @Override
    Reply execute(Attempt attempt) throws Exception {
      return threads
          .computeIfAbsent(attempt.client(), client -> Executors.newSingleThreadExecutor())
          .submit(() -> attempt.right().execute())
          .get();
    }

    @Override
    void cleanUp() {
      threads.values().forEach(ExecutorService::shutdownNow);
    }
  }

  /** Throws what was thrown on the other thread, as it is. */
  static final class LosesTheCallersFrames extends NaiveBridge {}

  /** Hands the failure of the first that fails to all others, with their stacks added to it. */
  static final class SharesItsFailures extends WrappedDriver {
    private final AtomicReference<@Nullable Exception> first = new AtomicReference<>();

    @Override
    Reply execute(Attempt attempt) throws Exception {
      try {
        return super.execute(attempt);
      } catch (Exception e) {
        Exception shared = first.compareAndSet(null, e) ? e : first.get();
        if (shared != null && !shared.equals(e)) {
          shared.addSuppressed(e);
          throw shared;
        }
        throw e;
      }
    }
  }

  // ---- the end of a call ----------------------------------------------------------------------

  static final class KeepsItsCalls extends WrappedDriver {
    private final Queue<Attempt> kept = new ConcurrentLinkedQueue<>();

    @Override
    Reply execute(Attempt attempt) throws Exception {
      kept.add(attempt);
      return super.execute(attempt);
    }

    @Override
    void cleanUp() {
      kept.clear();
    }
  }

  static final class ForgetsBuffers extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      PooledByteBufAllocator.DEFAULT.directBuffer(16);
      return super.execute(attempt);
    }
  }

  static final class LeavesFilesOpen extends WrappedDriver {
    private final Queue<InputStream> open = new ConcurrentLinkedQueue<>();

    @Override
    Reply execute(Attempt attempt) throws Exception {
      if (attempt.asked().body() instanceof Body.OfFile file) {
        open.add(Files.newInputStream(file.path()));
      }
      return super.execute(attempt);
    }

    @Override
    void cleanUp() throws IOException {
      for (InputStream each : open) {
        each.close();
      }
    }
  }

  /** Where its caller is interrupted. */
  static class LogsErrors extends WrappedDriver {
    private final String logger;
    private final String message;

    LogsErrors() {
      this("wrong", "that was not to be expected");
    }

    LogsErrors(String logger, String message) {
      this.logger = logger;
      this.message = message;
    }

    @Override
    Reply execute(Attempt attempt) throws Exception {
      try {
        return super.execute(attempt);
      } catch (InterruptedIOException e) {
        Logger.getLogger(logger).log(Level.SEVERE, message, e);
        throw e;
      }
    }
  }

  /** As Netty, which is known to log something else. */
  static final class LogsErrorsAsNetty extends LogsErrors {
    LogsErrorsAsNetty() {
      super("io.netty.util.concurrent.DefaultPromise", "An exception was thrown by a listener");
    }
  }

  /** On a thread of its own, where nobody looks. */
  static final class FailsWhereNobodyLooks extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      try {
        return super.execute(attempt);
      } catch (InterruptedIOException e) {
        Thread.startVirtualThread(
            () -> {
              throw new IllegalStateException("nobody looks", e);
            });
        throw e;
      }
    }
  }

  // ---- other servers --------------------------------------------------------------------------

  /** Goes wherever it is sent, with all that it has. */
  static final class FollowsAnything extends WrappedDriver {
    @Override
    public Client open(ClientSettings its) throws IOException {
      return super.open(
          new ClientSettings(
              its.wire(),
              its.trusted(),
              its.maxConnections(),
              its.connectTimeout(),
              its.leaseTimeout(),
              its.readTimeout(),
              its.deadline(),
              its.credentials(),
              its.lookup(),
              false,
              its.decompress(),
              its.cookies(),
              its.probe()));
    }

    @Override
    Reply execute(Attempt attempt) throws Exception {
      Call call = attempt.asked();
      Reply reply = attempt.client().prepare(with(call, Map.of())).execute();
      while (reply.status() == 302) {
        URI to = URI.create(String.valueOf(reply.header("Location")));
        reply.close();
        URI next = call.uri().resolve(to);
        boolean known = next.getScheme().startsWith("http") && next.getHost() != null;
        call = Call.get(known ? next : call.uri()).build();
        reply = attempt.client().prepare(with(call, Map.of("Authorization", "Basic x"))).execute();
      }
      return reply;
    }

    private static Call with(Call call, Map<String, String> fields) {
      List<Map.Entry<String, String>> all = new ArrayList<>(call.headers());
      all.addAll(fields.entrySet());
      return new Call(call.method(), call.uri(), all, call.body(), call.deadline(), false);
    }
  }

  /** Puts into a failure what may help to find its cause, the headers among it. */
  static final class TellsWhatWasSent extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      try {
        return super.execute(attempt);
      } catch (IOException e) {
        throw new IOException("sent: " + attempt.asked().headers(), e);
      }
    }
  }

  /** Logs what it asks for, as it was asked. */
  static final class LogsWhatItAsks extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      Logger.getLogger("asks").info(() -> "asks for " + attempt.asked().uri());
      return super.execute(attempt);
    }
  }

  /** Says of itself what it was asked last, whole. */
  static final class SaysWhatItAsks extends WrappedDriver {
    private volatile String asked = "";

    @Override
    Reply execute(Attempt attempt) throws Exception {
      asked = " asks " + attempt.asked().headers();
      return super.execute(attempt);
    }

    @Override
    String describe(ReferenceClient client) {
      return client.describe() + asked;
    }
  }

  /** Tells JFR whom it asks as the URI has it. */
  static final class RecordsWhomItAsks extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      CallEvent event = CallEvent.begin("wrong");
      event.request("GET", attempt.asked().uri().getRawAuthority(), -1);
      try {
        return super.execute(attempt);
      } catch (IOException e) {
        event.failed(e);
        throw e;
      }
    }
  }

  /** Takes what is behind a line break for a field of its own. */
  static final class SplitsFields extends WrappedDriver {
    @Override
    Call prepare(ReferenceClient client, Call call) {
      List<Map.Entry<String, String>> all = new ArrayList<>();
      for (Map.Entry<String, String> each : call.headers()) {
        String[] lines = (each.getKey() + ": " + each.getValue()).split("\\R+", -1);
        for (String line : lines) {
          String[] parts = line.split(": ", 2);
          all.add(Map.entry(parts[0].replace(' ', '-'), parts.length > 1 ? parts[1] : ""));
        }
      }
      return new Call(
          call.method(), call.uri(), all, call.body(), call.deadline(), call.expectContinue());
    }
  }

  // ---- the end of a client --------------------------------------------------------------------

  static final class LeavesCallersHanging extends NaiveBridge {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      CompletableFuture<Reply> future = new CompletableFuture<>();
      start(attempt)
          .whenComplete(
              (reply, failure) -> {
                if (failure == null) {
                  future.complete(reply);
                } else if (!attempt.client().isClosed()) {
                  future.completeExceptionally(failure);
                }
              });
      return await(future, null);
    }
  }

  /** Each client leaves a thread, a socket and a selector. */
  static final class LeavesItsOwn extends WrappedDriver {
    private final CountDownLatch end = new CountDownLatch(1);
    private final Deque<AutoCloseable> left = new ArrayDeque<>();

    @Override
    public Client open(ClientSettings settings) throws IOException {
      left.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      left.add(Selector.open());
      Thread.ofVirtual().name("left-behind").start(this::waitForTheEnd);
      return super.open(settings);
    }

    @Override
    void cleanUp() throws Exception {
      end.countDown();
      for (AutoCloseable each : left) {
        each.close();
      }
    }

    private void waitForTheEnd() {
      try {
        end.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  // ---- what JFR is told -----------------------------------------------------------------------

  static final class TellsOfNoFailure extends SpoiltDriver {
    @Override
    void spoil(ReferenceClient.Prepared right) {
      right.tellsOfNoFailure = true;
    }
  }

  /** As one would for a log. */
  static final class TellsTheWholeUri extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      CallEvent event = begin(attempt.asked());
      event.request(attempt.asked().method(), attempt.asked().uri().toString(), -1);
      attempt.right().event = event;
      return super.execute(attempt);
    }
  }

  static final class TellsTwice extends WrappedDriver {
    @Override
    Reply execute(Attempt attempt) throws Exception {
      CallEvent event = begin(attempt.asked());
      Reply reply = super.execute(attempt);
      event.head(reply.status(), reply.protocol());
      event.completed();
      return reply;
    }
  }

  /** Gives up a call as if it had failed. */
  static final class TakesGivingUpForFailing extends SpoiltDriver {
    @Override
    void spoil(ReferenceClient.Prepared right) {
      right.mistakesItsEnd = true;
    }
  }

  static final class MarksNothing extends SpoiltDriver {
    @Override
    void spoil(ReferenceClient.Prepared right) {
      right.marksNothing = true;
    }
  }

  static final class SaysNothingOfItsCalls extends WrappedDriver {
    @Override
    String describe(ReferenceClient client) {
      return "ReferenceClient[calls in flight: " + client.inFlight() + "]";
    }
  }

  /** Lists only calls that have a connection, and of the others the number. */
  static final class CountsThoseThatWait extends WrappedDriver {
    @Override
    String describe(ReferenceClient client) {
      return client
          .describe()
          .lines()
          .filter(each -> !each.contains(" waits for a connection,"))
          .collect(Collectors.joining("\n"));
    }
  }

  /** Takes a writer for a caller that has nothing to do. */
  static final class MistakesWhatCallsWaitFor extends WrappedDriver {
    @Override
    String describe(ReferenceClient client) {
      return client.describe().replace(" waits for the head,", " waits for nothing,");
    }
  }

  // ---- parts ----------------------------------------------------------------------------------

  private static Call with(Call call, Body body) {
    return new Call(
        call.method(), call.uri(), call.headers(), body, call.deadline(), call.expectContinue());
  }

  private static void write(@Nullable Body body, OutputStream out) throws IOException {
    if (body instanceof Body.Bytes bytes) {
      out.write(bytes.bytes());
    } else if (body instanceof Body.OfFile file) {
      Files.copy(file.path(), out);
    } else if (body instanceof Body.Stream stream) {
      stream.in().transferTo(out);
    } else if (body instanceof Body.Writer writer) {
      writer.writer().writeTo(out);
    }
  }

  private static CallEvent begin(Call call) {
    CallEvent event = CallEvent.begin("wrong");
    event.request(call.method(), call.uri().getHost(), call.uri().getPort());
    return event;
  }
}
