package io.heddle.conformance;

import io.netty.channel.Channel;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One request as the server sees it. Written by the server while the request goes on, read by any
 * thread.
 */
public final class Seen {

  private final Channel channel;
  private final String method;
  private final List<Map.Entry<String, String>> headers;
  private final int connection;

  /** Where in {@link Contents} the body begins. */
  private final int from;

  // Server's thread only.
  private final CRC32C crc = new CRC32C();
  private boolean waitingToContinue;

  // Written by the server's thread.
  private final AtomicLong bodyBytes = new AtomicLong();
  private final AtomicLong sentBytes = new AtomicLong();
  private volatile long bodyChecksum;
  private volatile boolean bodyComplete;
  private volatile boolean bodySound = true;
  private volatile boolean bodyWithoutContinue;
  private volatile boolean answered;
  private volatile boolean aborted;
  private volatile boolean refused;
  private volatile boolean overlooked;
  private volatile boolean ignored;

  // Guarded by this: what the server does next, once it is released.
  private @Nullable Runnable stalled;
  private boolean released;

  Seen(
      Channel channel,
      String method,
      List<Map.Entry<String, String>> headers,
      int connection,
      int from) {
    this.channel = channel;
    this.method = method;
    this.headers = headers;
    this.connection = connection;
    this.from = from;
  }

  public String method() {
    return method;
  }

  /** The first field of this name, in any case; null if there is none. */
  public @Nullable String header(String name) {
    for (Map.Entry<String, String> each : headers) {
      if (each.getKey().equalsIgnoreCase(name)) {
        return each.getValue();
      }
    }
    return null;
  }

  /** Which of the server's connections brought the request, from 1. */
  public int connection() {
    return connection;
  }

  /** How many bytes of the body have come. */
  public long bodyBytes() {
    return bodyBytes.get();
  }

  /** The checksum of the bytes that have come, as {@link Contents#checksum} makes it. */
  public long bodyChecksum() {
    return bodyChecksum;
  }

  /** Whether what has come of the body is what {@link Contents} has there. */
  public boolean isBodySound() {
    return bodySound;
  }

  /** Whether the body has come to its end. */
  public boolean isBodyComplete() {
    return bodyComplete;
  }

  /** Whether some of the body came before the 100 that the client had asked for. */
  public boolean isBodyWithoutContinue() {
    return bodyWithoutContinue;
  }

  /** How many bytes of the response's body have left the server. */
  public long sentBytes() {
    return sentBytes.get();
  }

  /** Whether the whole response has left the server. */
  public boolean isAnswered() {
    return answered;
  }

  /** Whether the client ended the exchange before its end: by RST_STREAM, reset or close. */
  public boolean isAborted() {
    return aborted;
  }

  /** Whether the server has said that it did not process the request. */
  boolean isRefused() {
    return refused;
  }

  /** Whether it did so without a look at the request: there is no more of it than its head. */
  boolean isOverlooked() {
    return overlooked;
  }

  /** Whether its connection had told of that by GOAWAY, and its stream does not. */
  boolean isIgnored() {
    return ignored;
  }

  /** The client ends the exchange before its end. */
  void assertAborted() {
    Bounds.await(Bounds.PROMPT, "the server sees the abort, in " + this, this::isAborted);
  }

  /** The client ends the exchange before the end of its body, which it must not feign. */
  void assertCutShort() {
    Bounds.holds(Bounds.PROMPT, () -> aborted || bodyComplete);
    Kit.check(!bodyComplete, "an upload that was cut is taken for a whole one, in " + this);
    assertAborted();
  }

  /** Whether the server stands still, and waits to be released. */
  public synchronized boolean isStalled() {
    return stalled != null;
  }

  /** Ends a stall, or the one to come: the server goes on as if there had been none. */
  public synchronized void release() {
    released = true;
    if (stalled != null) {
      channel.eventLoop().execute(stalled);
      stalled = null;
    }
  }

  /**
   * Reads on, where {@link Script#take} had stopped, and drops what comes. On HTTP/1.1 this is the
   * only way to see that the client has left.
   */
  public void readOn() {
    channel.config().setAutoRead(true);
  }

  void received(byte[] bytes) {
    crc.update(bytes, 0, bytes.length);
    bodySound = bodySound && Contents.matches(bytes, from + bodyBytes.get());
    bodyChecksum = crc.getValue();
    bodyBytes.addAndGet(bytes.length);
    if (waitingToContinue && bytes.length > 0) {
      bodyWithoutContinue = true;
    }
  }

  void receivedAll() {
    bodyComplete = true;
  }

  void waitingToContinue(boolean waiting) {
    waitingToContinue = waiting;
  }

  void sent(int bytes) {
    sentBytes.addAndGet(bytes);
  }

  void answered() {
    answered = true;
  }

  void aborted() {
    if (!answered) {
      aborted = true;
    }
  }

  void refused() {
    refused = true;
  }

  void overlooked() {
    overlooked = true;
    refused();
  }

  /**
   * It is not looked at.
   *
   * @param told whether its connection had told of that
   */
  void ignored(boolean told) {
    ignored = told;
    overlooked();
  }

  synchronized void stall(Runnable next) {
    if (released) {
      channel.eventLoop().execute(next);
    } else {
      stalled = next;
    }
  }

  @Override
  public String toString() {
    return "Seen["
        + method
        + " on connection "
        + connection
        + ", body "
        + bodyBytes
        + (bodyComplete ? " complete" : "")
        + ", sent "
        + sentBytes
        + (answered ? ", answered" : "")
        + (aborted ? ", aborted" : "")
        + (isStalled() ? ", stalled" : "")
        + (ignored ? ", ignored" : refused ? ", refused" : "")
        + "]";
  }
}
