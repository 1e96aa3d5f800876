package io.heddle.apache;

import java.io.IOException;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.protocol.HttpContext;

/**
 * Says why there was no response. The classic retry handler throws a copy of a {@link
 * NoHttpResponseException} that it does not retry, with neither its cause nor its message: seen in
 * 5.6.5. The original becomes the cause of the copy.
 */
final class NoResponseCause implements ExecChainHandler {

  private static final String ORIGINAL = "io.heddle.apache.no-response";

  /** Told of what a call has failed with, before the classic chain is. */
  static void keep(IOException failure, HttpContext context) {
    if (failure instanceof NoHttpResponseException && failure.getCause() != null) {
      context.setAttribute(ORIGINAL, failure);
    }
  }

  @Override
  public ClassicHttpResponse execute(
      ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
      throws IOException, HttpException {
    try {
      return chain.proceed(request, scope);
    } catch (NoHttpResponseException thrown) {
      if (thrown.getCause() == null
          && scope.clientContext.getAttribute(ORIGINAL)
              instanceof NoHttpResponseException original) {
        thrown.initCause(original);
      }
      throw thrown;
    } finally {
      scope.clientContext.removeAttribute(ORIGINAL);
    }
  }
}
