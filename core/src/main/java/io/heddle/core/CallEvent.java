package io.heddle.core;

import java.io.InterruptedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.SocketTimeoutException;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * What JDK Flight Recorder hears of one call: an adapter begins it, says what the call waits for,
 * and ends it.
 *
 * <pre>{@code
 * OFF                         no recording wants calls: nothing below does anything
 * OPEN ──end, failed──▶ OVER  the event io.heddle.Call is written, once; what comes later is not
 *    at(step), head, …        heard
 * }</pre>
 *
 * <p>While no recording runs, {@link #begin} returns {@link #OFF}, allocates nothing and reads no
 * clock. Where the module {@code jdk.jfr} is not there, that is always so.
 *
 * <p>Whoever ends the call writes the event, on its own thread: most often the caller, which reads
 * the end of the body or gets the failure; an I/O thread only for calls for which nobody waits. To
 * write an event is to copy some 200 bytes into a buffer of the thread, so that may be: it never
 * waits.
 *
 * <p>Marks may come from several threads, one after the other. One that races with the end may be
 * lost.
 *
 * <p>Nothing secret is in an event: no path, no query, no user, no header, and of a failure its
 * class alone.
 */
public final class CallEvent {

  /** What a call waits for, in the order in which a call gets there. */
  public enum Step {
    /** A connection of the pool, a stream of HTTP/2, a turn at a limit. */
    PLACE,
    /** The addresses of a host. */
    NAME,
    /** TCP, TLS, the server's first words. */
    CONNECTION,
    /** The sending of the request, and the head of the response. */
    HEAD,
    /** The body of the response, to its end as the caller reads it. */
    BODY;

    /** The word for it in events and dumps. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** How a call ended. */
  public enum End {
    /** The response came to its end. */
    COMPLETED,
    /** The library reported a failure. */
    FAILED,
    /** The caller was interrupted. */
    INTERRUPTED,
    /** A deadline was over, or a timeout of the library's. */
    TIMEOUT,
    /** Another thread cancelled the call, or closed the client. */
    CANCELLED,
    /** The caller closed the response before its end. */
    CLOSED
  }

  /** The event of a call that nobody records. */
  public static final CallEvent OFF = new CallEvent();

  private static final boolean THERE = isThere();
  private static final VarHandle OVER;

  static {
    try {
      OVER = MethodHandles.lookup().findVarHandle(CallEvent.class, "over", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final JfrEvents.@Nullable Call written;

  // By one thread after the other.
  private @Nullable Step step;
  private long since;
  private JfrEvents.@Nullable Wait wait;

  // Shared; under compare-and-set.
  private volatile boolean over;
  private volatile boolean cancelled;

  private CallEvent() {
    this.written = null;
    this.over = true;
  }

  private CallEvent(String library) {
    JfrEvents.Call call = new JfrEvents.Call();
    call.library = library;
    call.begin();
    this.written = call;
  }

  /** A JVM may lack the module, and an OSGi framework not export it. */
  private static boolean isThere() {
    try {
      Class.forName("jdk.jfr.Event", false, CallEvent.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  /**
   * A call begins.
   *
   * @param library what the adapter is for: {@code apache}, {@code okhttp}, …
   * @return {@link #OFF} if no recording wants to hear of it
   */
  public static CallEvent begin(String library) {
    return THERE && JfrEvents.wantCalls() ? new CallEvent(library) : OFF;
  }

  /** A result came for which nobody waits any more, and is about to be disposed of. */
  public static void late(@Nullable Object result) {
    if (THERE && result != null) {
      JfrEvents.late(result);
    }
  }

  // ---- marks ----------------------------------------------------------------------------------

  /** Whether anything is to be heard: saves work whose only purpose is a mark. */
  public boolean isOn() {
    return written != null;
  }

  /** Whether it has ended; true of {@link #OFF}. */
  public boolean isOver() {
    return over;
  }

  /**
   * What is asked, of whom; or, without a method, who will be asked.
   *
   * @param host without a user
   * @param port negative if the scheme says it
   */
  public void request(@Nullable String method, @Nullable String host, int port) {
    JfrEvents.Call call = written;
    if (call != null && host != null) {
      call.method = method;
      String name = host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
      call.authority = port < 0 ? name : name + ":" + port;
    }
  }

  /** From now on the call waits for this, if for anything. */
  public void at(Step next) {
    if (written != null && !over && next != step) {
      long now = System.nanoTime();
      leaveStep(now);
      step = next;
      since = now;
      if (next == Step.PLACE) {
        wait = new JfrEvents.Wait();
        wait.begin();
      }
    }
  }

  /** It waits for nothing that has a name here. */
  public void at() {
    if (written != null && !over) {
      leaveStep(System.nanoTime());
      step = null;
    }
  }

  /** The library does not tell how long this takes: it is a part of what comes after. */
  public void unknown(Step never) {
    if (written != null) {
      written.unknown(never);
    }
  }

  /**
   * The head of a response has come; from now on the call is at its body.
   *
   * @param protocol {@code HTTP/1.1} or {@code HTTP/2}
   */
  public void head(int status, String protocol) {
    JfrEvents.Call call = written;
    if (call != null && !over) {
      call.status = status;
      call.protocol = protocol;
      at(Step.BODY);
    }
  }

  /** Somebody else ends the call: what its caller is told of is due to that. */
  public void cancels() {
    if (written != null) {
      cancelled = true;
    }
  }

  // ---- the end --------------------------------------------------------------------------------

  /** The response came to its end, and the caller has it. */
  public void completed() {
    end(End.COMPLETED);
  }

  /** The call is over. Any thread, any number of times: the first counts. */
  public void end(End how) {
    if (written != null) {
      write(how, null);
    }
  }

  /** The call ends with this failure, which is about to be thrown or passed on. */
  public void failed(Throwable failure) {
    if (written != null) {
      Throwable of = failure;
      while ((of instanceof ExecutionException || of instanceof CompletionException)
          && of.getCause() != null) {
        of = of.getCause();
      }
      write(endOf(of), of);
    }
  }

  private End endOf(Throwable failure) {
    if (cancelled || failure instanceof CancellationException) {
      return End.CANCELLED;
    }
    if (failure instanceof InterruptedException) {
      return End.INTERRUPTED;
    }
    if (failure instanceof SocketTimeoutException
        || failure.getClass().getName().endsWith("TimeoutException")) {
      return End.TIMEOUT;
    }
    if (failure instanceof InterruptedIOException) { // of OkHttp's call timeout, too
      return Thread.currentThread().isInterrupted() ? End.INTERRUPTED : End.TIMEOUT;
    }
    return End.FAILED;
  }

  private void write(End how, @Nullable Throwable failure) {
    JfrEvents.Call call = written;
    if (call == null || !OVER.compareAndSet(this, false, true)) {
      return;
    }
    leaveStep(System.nanoTime());
    call.end();
    boolean nothingAsked = how == End.CLOSED && call.method == null; // a lease that was not used
    if (!nothingAsked && call.shouldCommit()) {
      End ended = how == End.CLOSED && cancelled ? End.CANCELLED : how;
      call.ended = ended.name().toLowerCase(Locale.ROOT);
      call.failure = failure == null ? null : failure.getClass().getName();
      call.commit();
    }
  }

  private void leaveStep(long now) {
    Step left = step;
    if (left != null && written != null) {
      written.spent(left, now - since);
    }
    JfrEvents.Wait waited = wait;
    if (waited != null) {
      wait = null;
      waited.end();
      if (waited.shouldCommit() && written != null) {
        waited.library = written.library;
        waited.authority = written.authority;
        waited.commit();
      }
    }
  }

  @Override
  public String toString() {
    return "CallEvent[" + (written == null ? "off" : over ? "over" : String.valueOf(step)) + "]";
  }
}
