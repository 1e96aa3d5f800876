package io.heddle.okhttp;

import io.heddle.core.DeclaredLength;
import io.heddle.core.ResponseBodyPipe;
import okhttp3.MediaType;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.BufferedSource;
import okio.Source;
import org.jspecify.annotations.Nullable;

/** The body of a response, as the caller reads it: inline, or from a worker's pipe. */
final class OkHttpResponseBody extends ResponseBody {

  /**
   * OkHttp 4 has no {@code TrailersSource}: it asks the connection, once the body has been read.
   */
  private static final boolean TRAILERS = hasTrailersSource();

  private final ResponseBody own;
  private final BufferedSource source;
  private final @Nullable ResponseBodyPipe pipe;

  private OkHttpResponseBody(ResponseBody own, Source from, @Nullable ResponseBodyPipe pipe) {
    this.own = own;
    this.source = new BodySource(from);
    this.pipe = pipe;
  }

  private static boolean hasTrailersSource() {
    try {
      Class.forName("okhttp3.TrailersSource", false, Response.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /**
   * OkHttp's response with a body that comes from there.
   *
   * @param pipe into which a worker reads it; null if none does
   */
  static Response install(Response own, Source from, @Nullable ResponseBodyPipe pipe) {
    OkHttpResponseBody body = new OkHttpResponseBody(own.body(), from, pipe);
    Response.Builder builder = own.newBuilder().body(body);
    if (TRAILERS) {
      OkHttpTrailers.install(builder, own, body);
    }
    return builder.build();
  }

  /** How long the body must be: where there can be none, a length is that of another response. */
  static DeclaredLength lengthOf(Response own) {
    boolean none = own.request().method().equals("HEAD") || own.code() == 204 || own.code() == 304;
    return new DeclaredLength(none ? -1 : own.body().contentLength());
  }

  @Override
  public @Nullable MediaType contentType() {
    return own.contentType();
  }

  @Override
  public long contentLength() {
    return own.contentLength();
  }

  @Override
  public BufferedSource source() {
    return source;
  }

  /** Whether OkHttp's trailers can be looked for, since no worker reads what is before them. */
  boolean mayPeek() {
    return pipe == null || pipe.isDone();
  }
}
