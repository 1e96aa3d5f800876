package io.heddle.jetty;

import java.security.CodeSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.eclipse.jetty.client.CompletableResponseListener;
import org.eclipse.jetty.client.Connection;
import org.eclipse.jetty.client.ContentSourceRequestContent;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.HttpClientTransport;
import org.eclipse.jetty.client.InputStreamRequestContent;
import org.eclipse.jetty.client.MultiPartRequestContent;
import org.eclipse.jetty.client.PathRequestContent;
import org.eclipse.jetty.client.PathResponseListener;
import org.eclipse.jetty.client.SPNEGOAuthentication;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.jspecify.annotations.Nullable;

/**
 * Code of users' that a client runs, and where: Jetty's own listeners, bodies, cookie stores and
 * authentications, and ours, only look and signal. All other may do what it likes.
 *
 * <pre>{@code
 * NONE ──note, expect──▶ THERE   for good: connections that are made from now on, and no others,
 *                                run it on virtual threads, and so does who sends what is queued
 * }</pre>
 */
final class UserCode {

  /**
   * Jetty's own that complete a future with whatever hangs on it, read or write files, ask servers,
   * or read streams of the user's.
   */
  private static final List<Class<?>> BLOCKING =
      List.of(
          CompletableResponseListener.class,
          PathResponseListener.class,
          SPNEGOAuthentication.class,
          InputStreamRequestContent.class,
          PathRequestContent.class,
          MultiPartRequestContent.class,
          ContentSourceRequestContent.class);

  private static final ClassValue<Boolean> MAY_BLOCK =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          // By where it was loaded from: a package name is free for everybody to use.
          return BLOCKING.stream().anyMatch(each -> each.isAssignableFrom(type))
              || Stream.of(UserCode.class, HttpClient.class, HttpCookieStore.class)
                  .noneMatch(known -> isFromWhere(known, type));
        }
      };

  private final HttpClient client;
  private volatile boolean there;

  UserCode(HttpClient client) {
    this.client = client;
  }

  /** Whether this must not run on an I/O thread. */
  static boolean mayBlock(@Nullable Object code) {
    return code != null && MAY_BLOCK.get(code.getClass());
  }

  private static boolean isFromWhere(Class<?> known, Class<?> type) {
    return Objects.equals(known.getClassLoader(), type.getClassLoader())
        && Objects.equals(source(known), source(type));
  }

  private static @Nullable Object source(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    return source == null ? type.getPackageName() : source.getLocation();
  }

  /** Takes note of code that Jetty will run on its threads; null is none. */
  void note(@Nullable Object code) {
    if (!there && mayBlock(code)) {
      expect();
    }
  }

  /** There may be some that nobody will tell of. */
  void expect() {
    makeBlocking();
    there = true; // after the line above: who sees it makes connections of that kind
  }

  /** A connection is about to be made. */
  void beforeConnection() {
    if (there) {
      makeBlocking(); // another client over the same transport has set it to what it began with
    }
  }

  private void makeBlocking() {
    HttpClientTransport transport = client.getHttpClientTransport();
    if (transport.getInvocationType() == InvocationType.NON_BLOCKING) {
      transport.setInvocationType(InvocationType.BLOCKING);
    }
  }

  /** Whether a connection must not be used any more, as it runs on I/O threads what may block. */
  boolean isOutdated(Connection connection) {
    return there && Invocable.getInvocationType(connection) == InvocationType.NON_BLOCKING;
  }

  /**
   * Runs what sends queued requests: here, or, if there is users' code (a cookie store, a request's
   * listeners), on a virtual thread, as this may be an I/O thread.
   */
  void send(Runnable sender) {
    Executor elsewhere =
        there ? VirtualThreads.getVirtualThreadsExecutor(client.getExecutor()) : null;
    if (elsewhere == null) {
      sender.run();
    } else {
      elsewhere.execute(sender);
    }
  }
}
