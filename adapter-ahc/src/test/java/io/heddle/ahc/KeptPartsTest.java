package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.asynchttpclient.AsyncHandler;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.HttpResponseBodyPart;
import org.asynchttpclient.HttpResponseStatus;
import org.asynchttpclient.Request;
import org.asynchttpclient.filter.FilterContext;
import org.asynchttpclient.filter.RequestFilter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A filter puts a handler before ours, which keeps the parts of a body: they stay readable. */
@Timeout(60)
class KeptPartsTest {

  private static final int LENGTH = 50_000;

  private static final class Keeping implements RequestFilter {
    final List<HttpResponseBodyPart> kept = new CopyOnWriteArrayList<>();

    @Override
    public <T> FilterContext<T> filter(FilterContext<T> context) {
      return new FilterContext.FilterContextBuilder<>(context)
          .asyncHandler(new Before<>(context.getAsyncHandler(), kept))
          .build();
    }
  }

  private record Before<T>(AsyncHandler<T> handler, List<HttpResponseBodyPart> kept)
      implements AsyncHandler<T> {

    @Override
    public State onStatusReceived(HttpResponseStatus status) throws Exception {
      return handler.onStatusReceived(status);
    }

    @Override
    public State onHeadersReceived(HttpHeaders headers) throws Exception {
      return handler.onHeadersReceived(headers);
    }

    @Override
    public State onBodyPartReceived(HttpResponseBodyPart part) throws Exception {
      kept.add(part);
      return handler.onBodyPartReceived(part);
    }

    @Override
    public void onThrowable(Throwable failure) {
      handler.onThrowable(failure);
    }

    @Override
    public T onCompleted() throws Exception {
      return handler.onCompleted();
    }
  }

  @Test
  void partsThatAFilterKeeps() throws Exception {
    Keeping filter = new Keeping();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingAhcClient client =
            new BlockingAhcClient(
                Dsl.config().setHttp2Enabled(false).addRequestFilter(filter).build())) {
      Request request = Dsl.get(server.uri(Script.ok().body(LENGTH)).toString()).build();
      assertEquals(LENGTH, client.execute(request).getResponseBodyAsBytes().length);
      try (StreamingResponse response = client.stream(request)) {
        assertEquals(LENGTH, response.getBodyAsStream().readAllBytes().length);
      }
      client.executeRequest(request).get();
      int bytes = filter.kept.stream().mapToInt(part -> part.getBodyPartBytes().length).sum();
      assertEquals(3 * LENGTH, bytes);
    }
  }
}
