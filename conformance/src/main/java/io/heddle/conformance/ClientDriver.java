package io.heddle.conformance;

import java.util.Set;

/**
 * What the kit needs to know about one adapter. A public class with a public constructor without
 * parameters, so that a JVM of its own can make one from its name.
 */
public interface ClientDriver {

  /** A new client with these settings; the kit closes it. */
  Client open(ClientSettings settings) throws Exception;

  /**
   * Whether this is how the library's synchronous interface reports such a failure. Be strict: this
   * is where the promise "the same exceptions as the original" is kept.
   *
   * @param thrown what {@link PreparedCall#execute()}, the body, or the stream that a {@link
   *     Body.Writer} writes to has thrown
   */
  boolean isExpected(Failure kind, Throwable thrown);

  /** Whether this is one of the library's I/O threads: a reactor, an event loop, a selector. */
  boolean isIoThread(Thread thread);

  /**
   * Runs {@code work} once on one of the library's I/O threads, and waits for its end.
   *
   * @param call one that succeeds, with a small body, in case the library has to make a call to get
   *     there
   */
  void onIoThread(Client client, Call call, Runnable work) throws Exception;

  /**
   * The kinds of user code that the library's own synchronous interface runs on the thread of the
   * caller, by the words of {@link ClientSettings#probe}, and "writer" and "stream" for bodies.
   */
  default Set<String> onCallersThread() {
    return Set.of(UserCode.WRITER);
  }

  /**
   * Whether the thread of this name belongs to no client but to the JVM, and ends by itself once
   * idle: it may outlive a client that is closed.
   */
  default boolean outlivesClients(String thread) {
    return false;
  }
}
