package io.heddle.okhttp;

import io.heddle.core.CallSite;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import io.heddle.core.HostResolver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import okhttp3.Dns;
import org.jspecify.annotations.Nullable;

/**
 * Asks the user's {@link Dns} on platform threads: the JDK's look-up is a native call, which would
 * hold a virtual thread's carrier, and which nothing ends. The caller parks, until its call is
 * cancelled or it is interrupted.
 */
final class OkHttpResolver implements Dns, AutoCloseable {

  static final String NAME = "heddle-okhttp-dns";

  /** Names that are looked up at a time. */
  private static final int THREADS = 32;

  private final Dns dns;
  private final HostResolver<List<InetAddress>> resolver = new HostResolver<>(NAME, THREADS);

  OkHttpResolver(Dns dns) {
    this.dns = dns;
  }

  @Override
  public List<InetAddress> lookup(String hostname) throws UnknownHostException {
    try {
      Exchange<List<InetAddress>> answer = resolver.resolve(hostname, () -> dns.lookup(hostname));
      LiveCall call = LiveCall.current();
      return call == null ? answer.await(Deadline.none()) : call.await(answer, Deadline.none());
    } catch (ExecutionException e) {
      throw failed(hostname, Objects.requireNonNull(e.getCause()));
    } catch (IllegalStateException e) { // cancelled or refused by a resolver that is closed
      String message = hostname + ": the client is closed";
      throw CallSite.caused(new UnknownHostException(message), e);
    } catch (TimeoutException e) {
      throw new AssertionError("there is no deadline", e);
    } catch (InterruptedException e) {
      throw OkHttpFailures.sneaky(OkHttpFailures.interrupted(e));
    } catch (IOException e) { // which a name service may not throw, but OkHttp takes
      throw OkHttpFailures.sneaky(e);
    }
  }

  /** OkHttp 5 asks for this, and then for {@link #lookup} if the user's own has no more to say. */
  @Override
  public Dns.Call newCall(Dns.Request request) {
    return dns.newCall(request);
  }

  /** Look-ups of one name share a failure, so each gets its own exception where that can be. */
  private static UnknownHostException failed(String hostname, Throwable failure) {
    if (failure instanceof RuntimeException || failure instanceof Error) {
      throw OkHttpFailures.sneaky(failure);
    }
    String own = failure instanceof UnknownHostException ? failure.getMessage() : null;
    return CallSite.caused(new UnknownHostException(own == null ? hostname : own), failure);
  }

  /** The user's. */
  Dns own() {
    return dns;
  }

  @Override
  public void close() {
    resolver.close();
  }

  /**
   * By the user's own: OkHttp shares a connection between clients whose name services are equal.
   */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof OkHttpResolver that && dns.equals(that.dns);
  }

  @Override
  public int hashCode() {
    return dns.hashCode();
  }

  /** As the user's own, which OkHttp names in a message. */
  @Override
  public String toString() {
    return dns.toString();
  }
}
