package io.heddle.jetty;

import io.heddle.core.DeclaredLength;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.client.RetainingResponseListener;
import org.jspecify.annotations.Nullable;

/** Gathers a whole response for {@link JettyRequest#send()}. */
final class WholeResponse extends RetainingResponseListener {

  private final JettyExchange<ContentResponse> exchange;

  // Jetty's threads, each after the other.
  private boolean begun;
  private DeclaredLength length = new DeclaredLength(-1);

  // Set by Jetty's threads, read by whoever aborts the request.
  private volatile @Nullable Response whole;

  WholeResponse(JettyExchange<ContentResponse> exchange, int maxLength) {
    super(maxLength);
    this.exchange = exchange;
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
    length = JettyExchange.declaredLength(response);
    BlockingResponseListener.hurryUpload(response);
  }

  /**
   * The response is there. As long as the request is not, its connection is not free, so a caller
   * that makes calls in turn would find none: it is woken when both are. Not so if the server wants
   * no more of the request, which may have no end.
   */
  @Override
  public void onSuccess(Response response) {
    if (length.admits(getContent().length) && JettyExchange.lackOf(length, response) == null) {
      whole = response;
    }
    if (JettyExchange.isRefusal(response)) {
      exchange.complete(content(response));
      JettyExchange.unheeded(response.getRequest().fail(new JettyRequestBody.NoMoreWanted()));
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
    if (there == null) {
      exchange.fail(failure);
    } else {
      exchange.complete(content(there));
    }
  }

  @Override
  public void onComplete(Result result) {
    Throwable failure = JettyExchange.responseFailure(result, whole != null);
    if (failure == null && whole == null) {
      failure = JettyExchange.lackOf(length, result.getResponse());
    }
    if (failure == null) {
      exchange.complete(content(result.getResponse()));
    } else if (begun || !exchange.resend(failure)) {
      exchange.fail(failure);
    }
  }

  private ContentResponse content(Response response) {
    return new JettyContentResponse(response, getContent(), getMediaType(), getEncoding());
  }
}
