package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertNull;

import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.message.BasicHttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server that sent interim responses without an end filled the heap: all were kept until the call
 * was over, although its caller had seen them.
 */
@Timeout(60)
class InterimHeadsTest {

  @Test
  void aHeadThatItsCallerHasSeenIsNotKept() throws Exception {
    ApacheExchange exchange = new ApacheExchange(new BasicHttpRequest("GET", "/"), null, null);
    Exchange<ApacheExchange.Head> next = exchange.firstHead();
    List<WeakReference<HttpResponse>> seen = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      HttpResponse hints = new BasicHttpResponse(103);
      seen.add(new WeakReference<>(hints));
      exchange.interim(hints);
      exchange.tookInterim();
      next = Objects.requireNonNull(next.await(Deadline.none()).next());
    }
    WeakReference<HttpResponse> first = seen.get(0);
    for (int i = 0; i < 100 && first.get() != null; i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertNull(first.get(), "an interim response that was seen");
    exchange.interim(new BasicHttpResponse(103)); // it is alive
    next.await(Deadline.none());
  }
}
