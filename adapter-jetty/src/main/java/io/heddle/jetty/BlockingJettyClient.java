package io.heddle.jetty;

import io.heddle.Deadline;
import java.net.URI;
import java.time.Duration;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.HttpClientTransport;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.client.transport.HttpConversation;
import org.eclipse.jetty.util.SocketAddressResolver;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.jspecify.annotations.Nullable;

/** Jetty's {@code HttpClient}, whose blocking calls suit virtual threads. */
@SuppressWarnings({"try", "this-escape"}) // close() is Jetty's, and throws what stopping throws
public class BlockingJettyClient extends HttpClient {

  private volatile @Nullable Duration callTimeout;
  private volatile @Nullable Duration leaseTimeout;
  private volatile int maxContentLength = Integer.MAX_VALUE;

  /** A client that speaks HTTP/1.1. */
  public BlockingJettyClient() {
    this(new HttpClientTransportOverHTTP());
  }

  /** A client over this transport. */
  public BlockingJettyClient(HttpClientTransport transport) {
    super(transport);
    transport.setInvocationType(InvocationType.NON_BLOCKING);
    super.setMaxConnectionsPerDestination(256);
  }

  @Override
  public Request newRequest(URI uri) {
    JettyRequest request = new JettyRequest(this, new HttpConversation(), uri);
    Duration timeout = callTimeout;
    if (timeout != null) {
      request.timeout(timeout.toNanos(), java.util.concurrent.TimeUnit.NANOSECONDS);
    }
    return request;
  }

  public void setCallTimeout(@Nullable Duration callTimeout) {
    this.callTimeout = callTimeout;
  }

  public @Nullable Duration getCallTimeout() {
    return callTimeout;
  }

  public void setLeaseTimeout(@Nullable Duration leaseTimeout) {
    this.leaseTimeout = leaseTimeout;
  }

  public @Nullable Duration getLeaseTimeout() {
    return leaseTimeout;
  }

  public void setMaxContentLength(int maxContentLength) {
    this.maxContentLength = maxContentLength;
  }

  public int getMaxContentLength() {
    return maxContentLength;
  }

  Deadline newLeaseDeadline() {
    Duration timeout = leaseTimeout;
    return timeout == null ? Deadline.none() : Deadline.after(timeout);
  }

  @Override
  public void setSocketAddressResolver(SocketAddressResolver resolver) {
    super.setSocketAddressResolver(
        resolver instanceof LookupThreads ? resolver : new LookupThreads(resolver));
  }

  @Override
  protected void doStart() throws Exception {
    if (getExecutor() == null) {
      setExecutor(new JettyThreads("heddle-jetty"));
    }
    super.doStart();
  }
}
