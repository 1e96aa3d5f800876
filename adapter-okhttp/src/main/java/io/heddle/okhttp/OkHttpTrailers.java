package io.heddle.okhttp;

import java.io.IOException;
import okhttp3.Headers;
import okhttp3.Response;
import okhttp3.TrailersSource;
import okio.BufferedSource;
import okio.Okio;
import org.jspecify.annotations.Nullable;

/**
 * The trailers of a response whose body the worker reads: OkHttp is asked for them once the worker
 * has left that body. To ask reads what the caller has not read, and drops it, as in OkHttp.
 */
final class OkHttpTrailers implements TrailersSource {

  private final Response own;
  private final BodyPump pump;

  private OkHttpTrailers(Response own, BodyPump pump) {
    this.own = own;
    this.pump = pump;
  }

  /**
   * Puts them into a response.
   *
   * @param response about to be built, with the body that the pump fills
   * @param own OkHttp's
   */
  static void install(Response.Builder response, Response own, BodyPump pump) {
    response.trailers(new OkHttpTrailers(own, pump));
  }

  @Override
  public @Nullable Headers peek() throws IOException {
    return pump.pipe().isDone() ? own.peekTrailers() : null;
  }

  @Override
  public Headers get() throws IOException {
    BufferedSource source = pump.response().body().source();
    if (source.isOpen()) {
      source.readAll(Okio.blackhole());
    }
    return own.trailers();
  }
}
