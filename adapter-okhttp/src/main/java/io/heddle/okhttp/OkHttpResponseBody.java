package io.heddle.okhttp;

import io.heddle.core.DeclaredLength;
import io.heddle.core.ResponseBodyPipe;
import java.io.IOException;
import java.io.InterruptedIOException;
import okhttp3.Headers;
import okhttp3.Interceptor;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okhttp3.TrailersSource;
import okio.Buffer;
import okio.BufferedSource;
import okio.ForwardingSource;
import okio.Okio;
import okio.Source;
import org.jspecify.annotations.Nullable;

/** The body of a response, as the caller reads it: inline, or from a worker's pipe. */
final class OkHttpResponseBody {

  /**
   * OkHttp 4 has no {@code TrailersSource}: it asks the connection, once the body has been read.
   */
  private static final boolean TRAILERS = hasTrailersSource();

  private OkHttpResponseBody() {}

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
   * @param chain of the last network interceptor
   * @param pipe into which a worker reads it; null if none does
   */
  static Response install(
      Interceptor.Chain chain, Response own, Source from, @Nullable ResponseBodyPipe pipe) {
    BufferedSource source =
        new BodySource(OkHttpInternals.mayCache(chain) ? new CachedSource(from) : from);
    ResponseBody body = own.body();
    Response.Builder builder = own.newBuilder();
    builder.body(ResponseBody.create(source, body.contentType(), body.contentLength()));
    if (TRAILERS) {
      Trailers.install(builder, own, source, pipe);
    }
    return builder.build();
  }

  /**
   * A body that OkHttp may write to its cache as it is read. For a thread that is interrupted, the
   * files of okio fail, and clear its flag. OkHttp did not heed that: it dropped the bytes, kept
   * what came after, and gave calls to come a body with a hole. So such a thread reads nothing. It
   * is without its flag until it closes the body, or OkHttp could not delete what it has in files.
   */
  private static final class CachedSource extends ForwardingSource {
    private @Nullable Thread interrupted;

    CachedSource(Source from) {
      super(from);
    }

    @Override
    public long read(Buffer sink, long byteCount) throws IOException {
      if (interrupted == null && Thread.interrupted()) {
        interrupted = Thread.currentThread();
      }
      if (interrupted != null) {
        throw new InterruptedIOException("interrupted");
      }
      return super.read(sink, byteCount);
    }

    @Override
    public void close() throws IOException {
      if (Thread.currentThread().equals(interrupted)) {
        Thread.currentThread().interrupt();
      }
      super.close();
    }
  }

  /** How long the body must be: where there can be none, a length is that of another response. */
  static DeclaredLength lengthOf(Response own) {
    boolean none = own.request().method().equals("HEAD") || own.code() == 204 || own.code() == 304;
    return new DeclaredLength(none ? -1 : own.body().contentLength());
  }

  /**
   * Whether a body that fails so is whole all the same: nothing is missing of its Content-Length,
   * and only the connection is gone. OkHttp 5 gives a connection of HTTP/2 back as soon as it has a
   * head that declares a length of 0, OkHttp 4 once so many bytes have come as are declared, though
   * the end of the stream may come later; and it closes what it needs no more.
   *
   * @param own OkHttp's
   * @param read what has come of it
   */
  static boolean isWhole(ResponseBody own, DeclaredLength read, IOException failure) {
    return read.counted() == own.contentLength() && OkHttpInternals.isOfConnection(failure);
  }

  /**
   * The trailers of a response whose body is ours: OkHttp is asked for them once that body is at
   * its end. To ask reads what the caller has not read, and drops it, as in OkHttp.
   */
  private record Trailers(Response own, BufferedSource source, @Nullable ResponseBodyPipe pipe)
      implements TrailersSource {

    /** Puts them into a response that is about to be built; not touched where there is OkHttp 4. */
    static void install(
        Response.Builder builder,
        Response own,
        BufferedSource source,
        @Nullable ResponseBodyPipe pipe) {
      builder.trailers(new Trailers(own, source, pipe));
    }

    /** None yet, while a worker reads what is before them. */
    @Override
    public @Nullable Headers peek() throws IOException {
      return pipe == null || pipe.isDone() ? own.peekTrailers() : null;
    }

    @Override
    public Headers get() throws IOException {
      if (source.isOpen()) {
        source.readAll(Okio.blackhole());
      }
      return own.trailers();
    }
  }
}
