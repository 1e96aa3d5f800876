package io.heddle.jersey;

import jakarta.annotation.Priority;
import jakarta.ws.rs.ConstrainedTo;
import jakarta.ws.rs.RuntimeType;
import jakarta.ws.rs.client.ClientRequestContext;
import jakarta.ws.rs.client.ClientResponseContext;
import jakarta.ws.rs.client.ResponseProcessingException;
import jakarta.ws.rs.core.FeatureContext;
import java.io.Closeable;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.glassfish.jersey.client.ClientRequest;
import org.glassfish.jersey.client.spi.PostInvocationInterceptor;
import org.glassfish.jersey.client.spi.PreInvocationInterceptor;
import org.glassfish.jersey.internal.spi.ForcedAutoDiscoverable;
import org.jspecify.annotations.Nullable;

/**
 * Closes what a call that fails because a response filter threw has been answered. Jersey discovers
 * it. Without it Jersey leaves such responses open and their connections leased, and the caller
 * gets none that it could close.
 *
 * <p>A response filter may make calls of its own and put the answer of one in the place of what it
 * got, as {@code HttpAuthenticationFeature} does. Such a call has the properties of the one that it
 * is made for: so each knows the other.
 *
 * <p>An {@link IOException} of a filter reaches the caller with the response, as a {@link
 * ResponseProcessingException}: the caller closes that response.
 */
@ConstrainedTo(RuntimeType.CLIENT)
@Priority(Integer.MAX_VALUE) // after those of the user's, which may look at the response
public final class FailedResponses
    implements ForcedAutoDiscoverable, PreInvocationInterceptor, PostInvocationInterceptor {

  private static final String RESPONSES = "io.heddle.jersey.responses";

  /** Called by Jersey's service loader. */
  public FailedResponses() {}

  /** The request has this response, whatever becomes of it. */
  static void remember(ClientRequest request, Closeable response) {
    if (request.getProperty(RESPONSES) instanceof Responses its) {
      its.all.add(response);
    }
  }

  @Override
  public void configure(FeatureContext context) {
    context.register(this);
  }

  @Override
  public void beforeRequest(ClientRequestContext request) {
    Responses its = new Responses();
    if (request.getProperty(RESPONSES) instanceof Responses outer) {
      outer.all.add(its);
    }
    request.setProperty(RESPONSES, its);
  }

  @Override
  public void afterRequest(ClientRequestContext request, ClientResponseContext response) {}

  @Override
  public void onException(ClientRequestContext request, ExceptionContext exception) {
    boolean handedOver =
        exception.getThrowables().stream().anyMatch(ResponseProcessingException.class::isInstance);
    if (!handedOver && request.getProperty(RESPONSES) instanceof Responses its) {
      close(its, exception.getThrowables().peekFirst());
    }
  }

  private static void close(Closeable responses, @Nullable Throwable first) {
    try {
      responses.close();
    } catch (IOException e) {
      if (first != null) {
        first.addSuppressed(e);
      }
    }
  }

  /** Of one call, and of those that its filters made. */
  private static final class Responses implements Closeable {
    final Queue<Closeable> all = new ConcurrentLinkedQueue<>();

    @Override
    public void close() throws IOException {
      IOException failure = null;
      for (Closeable each : all) {
        try {
          each.close();
        } catch (IOException e) {
          failure = e;
        }
      }
      if (failure != null) {
        throw failure;
      }
    }
  }
}
