package io.heddle.jetty;

import io.heddle.core.Deadline;
import io.heddle.core.DeclaredLength;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.client.CompletableResponseListener;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.jspecify.annotations.Nullable;

/** Gathers a whole response for {@link JettyRequest#send()}, as Jetty's own listener does. */
final class WholeResponse extends CompletableResponseListener {

  private final JettyExchange exchange;

  // Jetty's threads, each after the other.
  private boolean begun;
  private DeclaredLength length = new DeclaredLength(-1);

  // Set by Jetty's threads, read by whoever aborts the request.
  private volatile @Nullable Response whole;

  WholeResponse(JettyRequest request, JettyExchange exchange, int maxLength) {
    super(request, maxLength);
    this.exchange = exchange;
  }

  /** Sends the request, and waits. */
  ContentResponse await() throws InterruptedException, TimeoutException, ExecutionException {
    CompletableFuture<ContentResponse> made = send();
    Response response = exchange.await(Deadline.none());
    super.onComplete(new Result(getRequest(), response)); // makes what Jetty alone can make
    return made.join();
  }

  @Override
  public void onHeaders(Response response) {
    if (response instanceof ContentResponse passedOn
        && passedOn.getContent().length > getMaxLength()) {
      exchange.fail(
          new IllegalArgumentException("Buffering capacity " + getMaxLength() + " exceeded"));
    }
    super.onHeaders(response);
    exchange.head(response);
    begun = true;
    length = JettyResponses.declaredLength(response);
    JettyResponses.hurryUpload(response);
  }

  /**
   * The response is there. As long as the request is not, its connection is not free, so a caller
   * that makes calls in turn would find none: it is woken when both are. Not so if the server wants
   * no more of the request, which may have no end.
   */
  @Override
  public void onSuccess(Response response) {
    if (length.admits(getContent().length) && JettyResponses.lackOf(length, response) == null) {
      whole = response;
    }
    if (JettyResponses.isRefusal(response)) {
      exchange.complete(response);
      JettyResponses.endUpload(response);
    }
  }

  @Override
  public void onFailure(Response response, Throwable failure) {
    super.onFailure(response, failure);
    if (begun || !exchange.judge(failure)) {
      exchange.fail(failure);
    }
  }

  /** The request is aborted: whoever does that, a response that is there whole is the outcome. */
  void fail(Throwable failure) {
    Response there = whole;
    boolean unused = there == null ? exchange.fail(failure) : exchange.complete(there);
  }

  @Override
  public void onComplete(Result result) {
    Throwable failure = JettyResponses.responseFailure(result, whole != null);
    if (failure == null && whole == null) {
      failure = JettyResponses.lackOf(length, result.getResponse());
    }
    if (failure == null) {
      exchange.complete(result.getResponse());
    } else if (begun || !exchange.resend(failure)) {
      exchange.fail(failure);
    }
  }
}
