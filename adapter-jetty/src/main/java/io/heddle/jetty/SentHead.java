package io.heddle.jetty;

import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;

/** What became of a stream of HTTP/2 after the head of a request went out on it. */
interface SentHead {

  /** No head has gone out. */
  SentHead NONE =
      new SentHead() {
        @Override
        public boolean hasFailed() {
          return false;
        }

        @Override
        public boolean isRefused() {
          return false;
        }

        @Override
        public boolean isBeyondLast() {
          return false;
        }
      };

  /** Jetty then drops what it has of the response, but not the response's end, if that had come. */
  boolean hasFailed();

  /** Whether the server has reset it, and says that it has not looked at it. */
  boolean isRefused();

  /** Whether its number is beyond those that the server processes, as a GOAWAY says. */
  boolean isBeyondLast();

  /**
   * Stands, over HTTP/2, where Jetty keeps the trailers of a request's head, so that {@link
   * Http2Session} knows whose head it sees go out.
   *
   * @param trailers those of the request, if there are any
   */
  record Mark(JettyRequest request, @Nullable Supplier<HttpFields> trailers)
      implements Supplier<@Nullable HttpFields> {

    @Override
    public @Nullable HttpFields get() {
      return trailers == null ? null : trailers.get();
    }
  }
}
