package io.heddle.jetty;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.client.Connection;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.Transport;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to open a connection, for requests that wait in the queue of a destination: the
 * look-up of the name, the connect and the handshake. Jetty would finish it even if all those
 * requests were given up; this one can be ended, wherever it is.
 *
 * <pre>{@code
 * look-up ─▶ connect ─▶ handshake ─succeeded─▶ DONE    the pool has the connection
 *     └─────────┴───────────┴──────failed────▶ DONE    the queued requests have the failure
 *     └─────────┴───────────┴───────end──────▶ DONE    what is open is closed, what comes is refused
 * }</pre>
 *
 * <p>Jetty fails all that is queued with an attempt that fails. A request may have been queued
 * after the last of the others was given up, and count on this connection: {@link JettyAbort} knows
 * that failure by its class and does not heed it, and then the queue is looked at again. And one
 * may have found another connection while Jetty goes through those that it saw queued: it knows by
 * {@link #isFailing} that it is not meant any more.
 *
 * <p>He who ends it sets it to done and then closes the channel that is there; he who opens a
 * channel stores it and then looks whether it is done: at least one sees the other.
 */
final class ConnectAttempt implements Promise<Connection> {

  /** With which an attempt fails that was ended. */
  static final class Unwanted extends IOException {
    private static final long serialVersionUID = 1L;

    private Unwanted() {
      super("nobody waits for this connection any more");
    }
  }

  /** With what attempts fail just now, on which thread. */
  private static final Map<Thread, Throwable> FAILING = new ConcurrentHashMap<>();

  private final QueueGate gate;
  private final Promise<Connection> promise;
  private final Runnable sender;
  private final long begunAt = System.nanoTime();

  // Shared.
  private final AtomicBoolean done = new AtomicBoolean();
  private volatile boolean ended;
  private volatile Closeable open = () -> {};

  /**
   * An attempt that is about to begin.
   *
   * @param promise has the connection, or the failure
   * @param sender looks at the queue of the destination again, and opens a connection if need be
   */
  ConnectAttempt(QueueGate gate, Promise<Connection> promise, Runnable sender) {
    this.gate = gate;
    this.promise = promise;
    this.sender = sender;
  }

  // ---- Jetty's threads ----------------------------------------------------------------------

  @Override
  public void succeeded(Connection connection) {
    if (done.compareAndSet(false, true)) {
      gate.forget(this);
      JettyPools.begun(connection, begunAt);
      promise.succeeded(connection);
    } else {
      connection.close();
    }
  }

  @Override
  public void failed(Throwable failure) {
    if (done.compareAndSet(false, true)) {
      gate.forget(this);
      Thread here = Thread.currentThread();
      Throwable other = FAILING.put(here, failure); // from within which this one fails
      try {
        promise.failed(failure);
      } finally {
        FAILING.compute(here, (same, mine) -> other);
      }
    }
  }

  /** Whether this is why an attempt fails, and this thread is telling all that were queued. */
  @SuppressWarnings("ReferenceEquality") // that very failure
  static boolean isFailing(Throwable failure) {
    return FAILING.get(Thread.currentThread()) == failure;
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** Ends the attempt; does nothing if it has succeeded or failed. */
  void end() {
    if (done.compareAndSet(false, true)) {
      ended = true;
      gate.forget(this);
      IO.close(open);
      promise.failed(new Unwanted());
      sender.run();
    }
  }

  private void opened(Closeable channel) throws IOException {
    open = channel;
    if (ended) {
      channel.close();
      throw new AsynchronousCloseException();
    }
  }

  // ---- Jetty's transport --------------------------------------------------------------------

  /**
   * Has an attempt know what is opened for it.
   *
   * @param context of a connection that is about to be opened
   */
  static void track(Map<String, Object> context) {
    if (context.get(Transport.CONTEXT_KEY) instanceof Transport transport
        && !(transport instanceof Tracked)) {
      context.put(Transport.CONTEXT_KEY, new Tracked(transport));
    }
  }

  /** Opens sockets of ours, for each address of the host in turn; for an attempt, if it is one. */
  private static final class Tracked extends Transport.Wrapper {

    private volatile @Nullable ConnectAttempt attempt;
    private volatile @Nullable ClientConnector connector;

    Tracked(Transport transport) {
      super(transport);
    }

    /** By now Jetty has put its promise there. */
    @Override
    public void connect(SocketAddress address, Map<String, Object> context) {
      Object promise = context.get(Connection.PROMISE_CONTEXT_KEY);
      while (promise instanceof Promise.Wrapper<?> wrapper) {
        promise = wrapper.getWrapped();
      }
      attempt = promise instanceof ConnectAttempt found ? found : null;
      connector = (ClientConnector) context.get(ClientConnector.CONTEXT_KEY);
      super.connect(address, context);
    }

    @Override
    public SelectableChannel newSelectableChannel() throws IOException {
      SelectableChannel channel = super.newSelectableChannel();
      opened(() -> close(channel));
      return channel;
    }

    @Override
    public EndPoint newEndPoint(
        Scheduler scheduler,
        ManagedSelector selector,
        SelectableChannel channel,
        SelectionKey key) {
      return ReadingEndPoint.of(
          super.newEndPoint(scheduler, selector, channel, key), selector, key, scheduler);
    }

    @Override
    public org.eclipse.jetty.io.Connection newConnection(
        EndPoint endPoint, Map<String, Object> context) throws IOException {
      opened(endPoint);
      return super.newConnection(endPoint, context);
    }

    private void opened(Closeable channel) throws IOException {
      ConnectAttempt of = attempt;
      if (of != null) {
        of.opened(channel);
      }
    }

    /** A channel that is registered keeps its socket until its selector has looked. */
    private void close(SelectableChannel channel) throws IOException {
      channel.close();
      ClientConnector owner = connector;
      if (owner != null) {
        owner.getContainedBeans(ManagedSelector.class).forEach(each -> each.submit(selector -> {}));
      }
    }
  }
}
