package io.heddle.okhttp;

import java.io.IOException;
import okhttp3.Interceptor;
import okhttp3.Response;

/**
 * Ends a call that was cancelled while its request was being sent. OkHttp may go on then: it fails
 * to send, looks for an answer all the same, finds one, and takes the request for unfinished for
 * ever, so that the connection is never given back. An exception here, on the network's side, makes
 * it give the connection back; the call fails as it would have, a moment later.
 */
final class CancelCheck implements Interceptor {

  static final CancelCheck INSTANCE = new CancelCheck();

  private CancelCheck() {}

  @Override
  public Response intercept(Chain chain) throws IOException {
    Response response = chain.proceed(chain.request());
    if (chain.call().isCanceled()) {
      OkHttpExchange.closeQuietly(response);
      throw new IOException("Canceled");
    }
    return response;
  }
}
