package io.heddle.okhttp;

import java.io.IOException;
import okhttp3.Headers;
import okhttp3.Response;
import okhttp3.TrailersSource;
import okio.BufferedSource;
import okio.Okio;
import org.jspecify.annotations.Nullable;

/**
 * The trailers of a response whose body is ours: OkHttp is asked for them once that body is at its
 * end. To ask reads what the caller has not read, and drops it, as in OkHttp.
 */
final class OkHttpTrailers implements TrailersSource {

  private final Response own;
  private final OkHttpResponseBody body;

  private OkHttpTrailers(Response own, OkHttpResponseBody body) {
    this.own = own;
    this.body = body;
  }

  /**
   * Puts them into a response.
   *
   * @param response about to be built, with the body
   * @param own OkHttp's
   */
  static void install(Response.Builder response, Response own, OkHttpResponseBody body) {
    response.trailers(new OkHttpTrailers(own, body));
  }

  @Override
  public @Nullable Headers peek() throws IOException {
    return body.mayPeek() ? own.peekTrailers() : null;
  }

  @Override
  public Headers get() throws IOException {
    BufferedSource source = body.source();
    if (source.isOpen()) {
      source.readAll(Okio.blackhole());
    }
    return own.trailers();
  }
}
