package io.heddle.jersey;

import io.heddle.apache.CallDeadline;
import jakarta.ws.rs.core.Configuration;
import java.io.IOException;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.concurrent.CompletionStage;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.util.Timeout;
import org.glassfish.jersey.apache5.connector.Apache5HttpClientBuilderConfigurator;
import org.glassfish.jersey.client.ClientRequest;
import org.jspecify.annotations.Nullable;

/** Does what the properties of one call ask for; first in the chain of Apache's client. */
final class CallProperties implements Apache5HttpClientBuilderConfigurator, ExecChainHandler {

  private final CallDeadline deadlines = new CallDeadline();
  private final Cancellations cancellations = new Cancellations();

  CallProperties(Configuration config) {
    deadline(config.getProperty(HeddleConnectorProvider.DEADLINE)); // fails at once, if it must
  }

  @Override
  public HttpClientBuilder configure(HttpClientBuilder builder) {
    return builder.addExecInterceptorFirst("heddle-call-properties", this);
  }

  @Override
  public ClassicHttpResponse execute(
      ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
      throws IOException, HttpException {
    ClientRequest call = JerseyInternals.request(scope);
    if (call == null) {
      return proceed(request, scope, chain);
    }
    CallDeadline.set(
        scope.clientContext,
        deadline(call.resolveProperty(HeddleConnectorProvider.DEADLINE, Object.class)));
    CompletionStage<?> cancellation =
        cancellation(call.resolveProperty(HeddleConnectorProvider.CANCELLATION, Object.class));
    if (cancellation != null) {
      cancellations.cancel(JerseyInternals.cancellable(scope), cancellation);
    }
    request.removeHeaders(HttpHeaders.CONTENT_LENGTH); // of the user's; the entity tells its own
    scope.originalRequest.removeHeaders(HttpHeaders.CONTENT_LENGTH); // for retries and redirects
    ClassicHttpResponse response = proceed(request, scope, chain);
    FailedResponses.remember(call, response);
    return response;
  }

  private ClassicHttpResponse proceed(
      ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
      throws IOException, HttpException {
    ClassicHttpResponse response = deadlines.execute(request, scope, chain);
    HttpEntity entity = response.getEntity();
    if (entity != null && entity.isStreaming()) {
      response.setEntity(new BrokenBodies(entity, scope.originalRequest));
    }
    return response;
  }

  /** Apache's zero is no timeout; ours is one that is over. */
  static @Nullable Timeout deadline(@Nullable Object value) {
    if (value == null) {
      return null;
    }
    Duration duration =
        switch (value) {
          case Duration given -> given;
          case Number millis -> Duration.ofMillis(whole(millis));
          case String text -> parse(text);
          default -> throw refusedDeadline(value, null);
        };
    return Timeout.of(duration.isPositive() ? duration : Duration.ofNanos(1));
  }

  private static Duration parse(String text) {
    try {
      return text.startsWith("P") ? Duration.parse(text) : Duration.ofMillis(Long.parseLong(text));
    } catch (DateTimeParseException | NumberFormatException e) {
      throw refusedDeadline(text, e);
    }
  }

  private static long whole(Number number) {
    if (number.doubleValue() != Math.rint(number.doubleValue())) {
      throw refusedDeadline(number, null);
    }
    return number.longValue();
  }

  private static IllegalArgumentException refusedDeadline(Object value, @Nullable Exception cause) {
    return refused(
        HeddleConnectorProvider.DEADLINE
            + " must be a java.time.Duration, a whole number of milliseconds, or either as a string"
            + " (\"PT0.8S\", \"800\")",
        value,
        cause);
  }

  private static @Nullable CompletionStage<?> cancellation(@Nullable Object value) {
    if (value == null || value instanceof CompletionStage<?>) {
      return (CompletionStage<?>) value;
    }
    throw refused(HeddleConnectorProvider.CANCELLATION + " must be a CompletionStage", value, null);
  }

  private static IllegalArgumentException refused(
      String rule, Object value, @Nullable Exception cause) {
    return new IllegalArgumentException(
        rule + ", but is " + value + ", a " + value.getClass().getName(), cause);
  }
}
