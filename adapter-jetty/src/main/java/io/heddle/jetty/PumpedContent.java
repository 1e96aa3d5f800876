package io.heddle.jetty;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.client.InputStreamRequestContent;
import org.eclipse.jetty.client.PathRequestContent;
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
 * <p>So the call's deadline and an interrupt of its caller hold while the stream blocks. Nothing is
 * read unless a sender waits for it.
 *
 * <p>A sender may be given up while the reader stands in the stream, and the next one, after a
 * redirect or a challenge, begin before the reader is back. The body is then rewound by the reader,
 * before it reads for that next one; what it brings back from before is dropped.
 */
final class PumpedContent implements Request.Content {

  private static final int FILE_BUFFER = 32 * 1024;

  private static final ThreadFactory READERS = JettyThreads.virtual("heddle-jetty-body-");

  private volatile Request.Content content;

  /** How often the reader has been asked to run; it runs while this is not 0. */
  private final AtomicInteger asked = new AtomicInteger();

  /** How many are in the content, to read, fail or rewind it, or are about to be. */
  private final AtomicInteger inside = new AtomicInteger();

  // Set by the reader.
  private volatile @Nullable Thread reader;

  // Shared.
  private final AtomicReference<Content.@Nullable Chunk> ready = new AtomicReference<>();
  private final AtomicReference<@Nullable Runnable> demanded = new AtomicReference<>();
  private volatile @Nullable Throwable failure;
  private volatile boolean rewindFirst;

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
  public Content.@Nullable Chunk read() {
    Throwable failed = failure;
    if (failed != null) {
      return Content.Chunk.from(failed);
    }
    Content.Chunk chunk = rewindFirst ? null : ready.getAndSet(null);
    if (chunk != null || !isReader()) {
      return chunk;
    }
    inside.incrementAndGet();
    try {
      return mayRead() ? content.read() : null;
    } finally {
      inside.decrementAndGet();
    }
  }

  @Override
  public void demand(Runnable demandCallback) {
    if (!demanded.compareAndSet(null, Objects.requireNonNull(demandCallback))) {
      throw new IllegalStateException("demand pending");
    }
    if (failure == null) {
      askReader();
    } else {
      run(demanded.getAndSet(null));
    }
  }

  /** Ends the body; not on an I/O thread, nor by the reader if that stands in its stream. */
  @Override
  public void fail(Throwable cause) {
    failure = cause;
    drop();
    Runnable sender = demanded.getAndSet(null); // this one, none that comes after a rewind
    inside.incrementAndGet();
    if (isReader()) {
      failContent(cause, sender);
    } else {
      READERS.newThread(() -> failContent(cause, sender)).start();
    }
  }

  private void failContent(Throwable cause, @Nullable Runnable sender) {
    try {
      content.fail(cause);
    } finally {
      inside.decrementAndGet();
      run(sender);
      askReader(); // which may wait to rewind
    }
  }

  /**
   * While another thread is in the content, this is put off, and taken for possible if it may be.
   */
  @Override
  public boolean rewind() {
    if (inside.compareAndSet(0, 1)) {
      try {
        if (!rewindContent()) {
          return false;
        }
      } catch (RuntimeException | Error e) { // Jetty does not catch it: the next sender gets it
        drop();
        failure = e;
        return true;
      } finally {
        inside.decrementAndGet();
      }
    } else if (content instanceof InputStreamRequestContent) { // as Jetty says of it, at any time
      return false;
    } else {
      rewindFirst = true; // before the line below: a reader who is back sees the one or the other
    }
    drop();
    failure = null;
    return true;
  }

  /** Jetty's content of a file that has been failed cannot be rewound: the file is opened anew. */
  private boolean rewindContent() {
    if (content.rewind()) {
      return true;
    }
    if (content.getClass() != PathRequestContent.class) {
      return false;
    }
    PathRequestContent file = (PathRequestContent) content;
    try {
      content = new PathRequestContent(file.getContentType(), file.getPath(), FILE_BUFFER);
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void drop() {
    Content.Chunk unsent = ready.getAndSet(null);
    if (unsent != null) {
      unsent.release();
    }
  }

  private static void run(@Nullable Runnable sender) {
    if (sender != null) {
      sender.run();
    }
  }

  // ---- reader -------------------------------------------------------------------------------

  @SuppressWarnings("ReferenceEquality") // that very thread
  private boolean isReader() {
    return Thread.currentThread() == reader;
  }

  private void askReader() {
    if (asked.getAndIncrement() == 0) {
      READERS.newThread(this::readWhileAsked).start();
    }
  }

  private void readWhileAsked() {
    reader = Thread.currentThread();
    do {
      if (readOnce()) {
        run(demanded.getAndSet(null));
      }
    } while (asked.decrementAndGet() > 0);
  }

  /** Whether the sender is to run: there is a chunk, or a failure. */
  private boolean readOnce() {
    inside.incrementAndGet(); // before the line below: who rewinds sees it
    try {
      if (demanded.get() == null || !mayRead()) {
        return false;
      }
      Content.Chunk chunk = content.read();
      if (chunk == null) {
        content.demand(this::askReader);
        return false;
      }
      ready.set(chunk);
    } catch (RuntimeException | Error e) { // the sender's, as if it had read
      ready.set(Content.Chunk.from(e));
    } finally {
      inside.decrementAndGet();
    }
    if (failure != null) {
      drop();
    }
    return true;
  }

  /** Rewinds if that was put off; not as long as it is being failed, whose end asks the reader. */
  private boolean mayRead() {
    if (!rewindFirst) {
      return true;
    }
    if (inside.get() > 1) {
      return false;
    }
    if (!rewindContent()) {
      throw new IllegalStateException("the request body cannot be sent once more");
    }
    drop();
    rewindFirst = false;
    return true;
  }
}
