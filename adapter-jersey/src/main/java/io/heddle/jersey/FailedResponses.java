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
import org.glassfish.jersey.client.ClientRequest;
import org.glassfish.jersey.client.spi.PostInvocationInterceptor;
import org.glassfish.jersey.internal.spi.ForcedAutoDiscoverable;

/**
 * Closes the response of a call that fails because a response filter threw. Jersey discovers it.
 * Without it Jersey leaves that response open and its connection leased, and the caller gets no
 * response that it could close.
 *
 * <p>An {@link IOException} of a filter reaches the caller with the response, as a {@link
 * ResponseProcessingException}: the caller closes that response.
 */
@ConstrainedTo(RuntimeType.CLIENT)
@Priority(Integer.MAX_VALUE) // after those of the user's, which may look at the response
public final class FailedResponses implements ForcedAutoDiscoverable, PostInvocationInterceptor {

  private static final String RESPONSE = "io.heddle.jersey.response";

  /** Called by Jersey's service loader. */
  public FailedResponses() {}

  /** The request has this response, whatever becomes of it. */
  static void remember(ClientRequest request, Closeable response) {
    request.setProperty(RESPONSE, response);
  }

  @Override
  public void configure(FeatureContext context) {
    context.register(this);
  }

  @Override
  public void afterRequest(ClientRequestContext request, ClientResponseContext response) {}

  @Override
  public void onException(ClientRequestContext request, ExceptionContext exception) {
    boolean handedOver =
        exception.getThrowables().stream().anyMatch(ResponseProcessingException.class::isInstance);
    if (!handedOver && request.getProperty(RESPONSE) instanceof Closeable response) {
      close(response, exception);
    }
  }

  private static void close(Closeable response, ExceptionContext exception) {
    try {
      response.close();
    } catch (IOException e) {
      Throwable first = exception.getThrowables().peekFirst();
      if (first != null) {
        first.addSuppressed(e);
      }
    }
  }
}
