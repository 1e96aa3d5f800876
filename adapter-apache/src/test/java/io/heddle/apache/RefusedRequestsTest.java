package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.LeakCheck;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.InputStreamEntity;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http2.H2Error;
import org.apache.hc.core5.http2.H2StreamResetException;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What an HTTP/2 server says that it did not process goes again: nginx ends a connection after
 * {@code keepalive_requests}, with callers' requests on the way.
 */
@Timeout(90)
@ExtendWith({WarmUp.class, LeakCheck.class})
class RefusedRequestsTest {

  private final BlockingConnectionManager manager =
      BlockingConnectionManager.builder().setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_2).build();

  /** Nothing here is the doing of the classic chain's own retries. */
  private final CloseableHttpClient client =
      BlockingHttpClients.custom().setConnectionManager(manager).disableAutomaticRetries().build();

  /** Takes so many requests of a connection, and says GOAWAY with the last of them. */
  private static Http2Peer.Behaviour goingAwayAfter(int requests, AtomicInteger processed) {
    ConcurrentMap<Http2Peer.Connection, Integer> lastStream = new ConcurrentHashMap<>();
    return new Http2Peer.Behaviour() {
      @Override
      public void request(Http2Peer.Connection on, int stream, boolean end) throws IOException {
        if (on.requests.get() == requests) {
          lastStream.put(on, stream);
          on.goAway(stream);
        }
        data(on, stream, end);
      }

      @Override
      public void data(Http2Peer.Connection on, int stream, boolean end) throws IOException {
        if (end && stream <= lastStream.getOrDefault(on, Integer.MAX_VALUE)) {
          processed.incrementAndGet();
          on.answer(stream, 200);
        }
      }
    };
  }

  private int get(Http2Peer peer) throws IOException {
    return client.execute(new HttpGet(peer.uri()), response -> response.getCode());
  }

  private int post(Http2Peer peer) throws IOException {
    HttpPost post = new HttpPost(peer.uri());
    post.setEntity(new StringEntity("order", ContentType.TEXT_PLAIN));
    return client.execute(post, response -> response.getCode());
  }

  @Test
  void allCallsComeThroughWhereEachConnectionEndsAfterTenRequests() throws Exception {
    int callers = 60;
    int each = 10;
    AtomicInteger processed = new AtomicInteger();
    try (Http2Peer peer = new Http2Peer(128, goingAwayAfter(10, processed));
        client) {
      List<List<Integer>> codes =
          Threads.callAtOnce(
              callers,
              () -> {
                List<Integer> mine = new ArrayList<>();
                for (int i = 0; i < each; i++) {
                  mine.add(i % 2 == 0 ? get(peer) : post(peer));
                }
                return mine;
              },
              () -> manager + " with " + peer.connections);
      assertEquals(
          Collections.nCopies(callers * each, 200), codes.stream().flatMap(List::stream).toList());
      assertEquals(callers * each, processed.get(), "none was processed twice");
      assertEquals(0, manager.leases());
    }
  }

  @Test
  void aRefusedStreamGoesAgainOnTheSameConnection() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    Http2Peer.Behaviour refusesTwice =
        (on, stream, end) -> {
          if (asked.incrementAndGet() <= 2) {
            on.reset(stream, H2Error.REFUSED_STREAM.getCode());
          } else {
            on.answer(stream, 200);
          }
        };
    try (Http2Peer peer = new Http2Peer(100, refusesTwice);
        client) {
      assertEquals(200, post(peer));
      assertEquals(1, peer.connections.size());
      assertEquals(3, peer.requests());
    }
  }

  @Test
  void aBodyThatCanBeWrittenOnceIsNotSentAgain() throws Exception {
    Http2Peer.Behaviour refuses =
        (on, stream, end) -> on.reset(stream, H2Error.REFUSED_STREAM.getCode());
    try (Http2Peer peer = new Http2Peer(100, refuses);
        client) {
      HttpPost post = new HttpPost(peer.uri());
      post.setEntity(
          new InputStreamEntity(new ByteArrayInputStream(new byte[100]), ContentType.TEXT_PLAIN));
      assertThrows(
          H2StreamResetException.class, () -> client.execute(post, response -> response.getCode()));
      assertEquals(1, peer.requests());
    }
  }

  @Test
  void whatIsAlwaysRefusedEndsWithTheDeadline() throws Exception {
    Http2Peer.Behaviour refuses =
        (on, stream, end) -> on.reset(stream, H2Error.REFUSED_STREAM.getCode());
    try (Http2Peer peer = new Http2Peer(100, refuses);
        client) {
      HttpClientContext context = HttpClientContext.create();
      CallDeadline.set(context, org.apache.hc.core5.util.Timeout.ofSeconds(2));
      IOException thrown =
          assertThrows(
              IOException.class,
              () -> client.execute(new HttpGet(peer.uri()), context, response -> 0));
      assertTrue(
          thrown instanceof DeadlineExceededException || thrown instanceof H2StreamResetException,
          thrown::toString);
      assertTrue(peer.requests() > 1);
      assertEquals(0, manager.leases());
    }
  }

  /** Another error than a refusal may come after the server has done something. */
  @Test
  void aStreamThatFailedIsNotSentAgain() throws Exception {
    Http2Peer.Behaviour fails =
        (on, stream, end) -> on.reset(stream, H2Error.INTERNAL_ERROR.getCode());
    try (Http2Peer peer = new Http2Peer(100, fails);
        client) {
      assertThrows(H2StreamResetException.class, () -> post(peer));
      assertEquals(1, peer.requests());
    }
  }
}
