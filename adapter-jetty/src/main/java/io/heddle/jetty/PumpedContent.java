package io.heddle.jetty;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.io.Content;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request whose {@code read} may block, such as one from an {@code InputStream} or a
 * file: reads it on a virtual thread, where Jetty reads it on whatever thread has room to send, be
 * it the selector's or that of another caller.
 *
 * <pre>{@code
 * sender, any thread        read ─▶ nothing ─▶ demand ─▶ starts the reader, unless it runs
 * reader, a virtual thread  reads a chunk ─▶ runs the sender, which takes it and, as long as the
 *                           connection has room, reads on right here
 * }</pre>
 *
 * <p>So the call's deadline and an interrupt of its caller hold while the stream blocks.
 */
final class PumpedContent implements Request.Content {

  private final Request.Content content;

  /** How often the reader has been asked to run; it runs while this is not 0. */
  private final AtomicInteger asked = new AtomicInteger();

  // Set by the reader.
  private volatile @Nullable Thread reader;

  // Shared.
  private final AtomicReference<Content.@Nullable Chunk> ready = new AtomicReference<>();
  private final AtomicReference<@Nullable Runnable> demanded = new AtomicReference<>();
  private volatile @Nullable Throwable failure;

  PumpedContent(Request.Content content) {
    this.content = content;
  }

  // ---- sender -------------------------------------------------------------------------------

  @Override
  public @Nullable String getContentType() {
    return content.getContentType();
  }

  @Override
  public long getLength() {
    return content.getLength();
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // that very thread
  public Content.@Nullable Chunk read() {
    Throwable failed = failure;
    if (failed != null) {
      return Content.Chunk.from(failed);
    }
    Content.Chunk chunk = ready.getAndSet(null);
    return chunk == null && Thread.currentThread() == reader ? content.read() : chunk;
  }

  @Override
  public void demand(Runnable demandCallback) {
    if (!demanded.compareAndSet(null, Objects.requireNonNull(demandCallback))) {
      throw new IllegalStateException("demand pending");
    }
    if (failure == null) {
      askReader();
    } else {
      runSender();
    }
  }

  /** Ends the body, which is told on a thread of its own: the reader may stand in its stream. */
  @Override
  public void fail(Throwable cause) {
    failure = cause;
    drop();
    Thread.ofVirtual()
        .name("heddle-jetty-body")
        .start(
            () -> {
              content.fail(cause);
              runSender();
            });
  }

  @Override
  public boolean rewind() {
    if (!content.rewind()) {
      return false;
    }
    drop();
    failure = null;
    return true;
  }

  private void drop() {
    Content.Chunk unsent = ready.getAndSet(null);
    if (unsent != null) {
      unsent.release();
    }
  }

  private void runSender() {
    Runnable sender = demanded.getAndSet(null);
    if (sender != null) {
      sender.run();
    }
  }

  // ---- reader -------------------------------------------------------------------------------

  private void askReader() {
    if (asked.getAndIncrement() == 0) {
      Thread.ofVirtual().name("heddle-jetty-body").start(this::readWhileAsked);
    }
  }

  private void readWhileAsked() {
    reader = Thread.currentThread();
    do {
      readOnce();
    } while (asked.decrementAndGet() > 0);
  }

  private void readOnce() {
    try {
      Content.Chunk chunk = content.read();
      if (chunk == null) {
        content.demand(this::askReader);
        return;
      }
      ready.set(chunk);
    } catch (RuntimeException | Error e) { // the sender's, as if it had read
      failure = e;
    }
    if (failure != null) {
      drop();
    }
    runSender();
  }
}
