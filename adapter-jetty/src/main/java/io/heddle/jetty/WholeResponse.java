package io.heddle.jetty;

import io.heddle.core.Deadline;
import io.heddle.core.DeclaredLength;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.client.CompletableResponseListener;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.jspecify.annotations.Nullable;

/**
 * Gathers a whole response for {@link JettyRequest#send()}. Jetty's own listener keeps the buffers
 * that the body was read into until it is whole: as much memory outside the heap as the bodies of
 * all calls, and with each it adds up the lengths of all. Here they are copied at once.
 */
final class WholeResponse extends CompletableResponseListener {

  /** No array is longer. */
  private static final int MOST = Integer.MAX_VALUE - 8;

  /** How many bytes of a declared length are believed before they come. */
  private static final int BELIEVED = 1024 * 1024;

  private final JettyExchange exchange;

  // Jetty's threads, each after the other; then the caller.
  private byte[] content = {};
  private int gathered;

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

  @Override
  public void onContent(Response response, ByteBuffer more) {
    long needed = (long) gathered + more.remaining();
    if (needed > Math.min(MOST, getMaxLength())) {
      JettyExchange.unheeded(
          response.abort(
              new IllegalArgumentException("Buffering capacity " + getMaxLength() + " exceeded")));
      return;
    }
    if (needed > content.length) {
      content = Arrays.copyOf(content, capacity((int) needed));
    }
    more.get(content, gathered, more.remaining());
    gathered = (int) needed;
  }

  /** Twice what it was, so that bytes are copied once more at most; no more than is to come. */
  private int capacity(int needed) {
    long declared = length.declared();
    long wanted = Math.max(2L * content.length, Math.min(declared, BELIEVED));
    long most = declared >= needed ? declared : Long.MAX_VALUE;
    return (int) Math.max(needed, Math.min(Math.min(wanted, most), Math.min(MOST, getMaxLength())));
  }

  @Override
  public byte[] getContent() {
    if (gathered < content.length) {
      content = Arrays.copyOf(content, gathered);
    }
    return content;
  }

  /**
   * The response is there. As long as the request is not, its connection is not free, so a caller
   * that makes calls in turn would find none: it is woken when both are. Not so if the server wants
   * no more of the request, which may have no end.
   */
  @Override
  public void onSuccess(Response response) {
    if (length.admits(gathered) && JettyResponses.lackOf(length, response) == null) {
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
