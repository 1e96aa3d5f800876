package io.heddle.apache;

import io.heddle.core.Deadline;
import java.io.IOException;
import org.apache.hc.client5.http.HttpRequestRetryStrategy;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.util.TimeValue;

/** Retries as another strategy does, unless the pause before would outlast the call's deadline. */
final class RetryInTime implements HttpRequestRetryStrategy {

  private final HttpRequestRetryStrategy strategy;

  RetryInTime(HttpRequestRetryStrategy strategy) {
    this.strategy = strategy;
  }

  @Override
  public boolean retryRequest(
      HttpRequest request, IOException exception, int execCount, HttpContext context) {
    return strategy.retryRequest(request, exception, execCount, context)
        && isInTime(getRetryInterval(request, exception, execCount, context), context);
  }

  @Override
  public boolean retryRequest(HttpResponse response, int execCount, HttpContext context) {
    return strategy.retryRequest(response, execCount, context)
        && isInTime(getRetryInterval(response, execCount, context), context);
  }

  @Override
  public TimeValue getRetryInterval(
      HttpRequest request, IOException exception, int execCount, HttpContext context) {
    return strategy.getRetryInterval(request, exception, execCount, context);
  }

  @Override
  public TimeValue getRetryInterval(HttpResponse response, int execCount, HttpContext context) {
    return strategy.getRetryInterval(response, execCount, context);
  }

  private static boolean isInTime(TimeValue pause, HttpContext context) {
    Deadline deadline = CallDeadline.of(context);
    return deadline.isNone() || pause.toNanoseconds() < deadline.remainingNanos();
  }
}
