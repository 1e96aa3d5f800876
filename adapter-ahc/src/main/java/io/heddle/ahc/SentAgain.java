package io.heddle.ahc;

import io.heddle.core.Resends;
import org.asynchttpclient.Request;
import org.asynchttpclient.netty.NettyResponseFuture;
import org.asynchttpclient.request.body.generator.FeedableBodyGenerator;
import org.jspecify.annotations.Nullable;

/** Which exchange that has failed goes again, and with what; how often, {@link Resends} says. */
final class SentAgain {

  private SentAgain() {}

  /**
   * Whether a request that failed like this can be sent again without anybody noticing: it never
   * left, or the server refused it, or it is one that changes nothing and met a connection that had
   * come to its end while nobody used it.
   */
  static boolean may(AhcExchange<?> failed, Throwable failure) {
    AhcRequestBody body = failed.requestBody();
    boolean redirected = redirected(failed) != null;
    if (body != null && !body.isRepeatable() && !redirected) {
      return false;
    }
    boolean safe = Resends.isSafe(failed.request().getMethod());
    if (failed.channel().isFollowing()) { // it would begin anew with what was answered
      return isRefused(failed, failure) && (redirected || safe);
    }
    return isRefused(failed, failure)
        || (safe
            && AhcFailures.isConnectionGone(failure)
            && !failed.isAnswered()
            && failed.channel().leg().isSentToIdleConnection());
  }

  /**
   * Whether the server has said that it did nothing about the request, or the connection has said
   * so in its place, or had ended before the request was sent: then it goes again, however often,
   * as long as there is time.
   */
  static boolean isRefused(AhcExchange<?> failed, Throwable failure) {
    Leg on = failed.channel().leg();
    return failed.isRefused()
        || AhcInternals.isRefusedStream(failure)
        || (!on.isWritten()
            && (AhcInternals.isOfLeavingConnection(failure)
                || (on.isPooled() && AhcFailures.isConnectionGone(failure))));
  }

  /**
   * What goes again: the request that a redirect has led to, or else this.
   *
   * @param asked what the exchange was made for
   */
  static Request request(AhcExchange<?> failed, Request asked) {
    Request redirected = redirected(failed);
    return redirected == null ? asked : redirected;
  }

  /** What a redirect has led to; null if none has, or its body would have to be read again. */
  private static @Nullable Request redirected(AhcExchange<?> failed) {
    NettyResponseFuture<?> running = failed.channel().future();
    Request now = running == null ? null : running.getCurrentRequest();
    return now == null
            || now.getUri().equals(failed.request().getUri())
            || now.getBodyGenerator() instanceof FeedableBodyGenerator
        ? null
        : now;
  }
}
