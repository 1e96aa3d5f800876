package io.heddle.conformance;

import io.heddle.core.CallEvent;
import io.heddle.core.ResponseBodyPipe;
import io.netty.handler.codec.http.HttpResponse;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The reference client's response. */
final class ReferenceReply implements Reply {

  private final Wire wire;
  private final HttpResponse head;
  private final ResponseBodyPipe pipe;
  private final Map<String, String> trailers;
  private final ReferenceExchange exchange;

  private InputStream body = new Stream();

  ReferenceReply(
      Wire wire,
      HttpResponse head,
      ResponseBodyPipe pipe,
      Map<String, String> trailers,
      ReferenceExchange exchange) {
    this.wire = wire;
    this.head = head;
    this.pipe = pipe;
    this.trailers = trailers;
    this.exchange = exchange;
  }

  void decode(ReferenceClient.Decoder decoder) throws IOException {
    body = decoder.decode(body);
  }

  /** With the end of its body the call ends. */
  void ends(CallEvent event) {
    pipe.ends(event);
  }

  List<String> headers(String name) {
    return head.headers().getAll(name);
  }

  @Override
  public int status() {
    return head.status().code();
  }

  @Override
  public @Nullable String header(String name) {
    return head.headers().get(name);
  }

  @Override
  public String protocol() {
    return wire.isMultiplexed() ? "HTTP/2" : "HTTP/1.1";
  }

  @Override
  public InputStream body() {
    return body;
  }

  @Override
  public Map<String, String> trailers() {
    return trailers.entrySet().stream()
        .collect(
            Collectors.toMap(each -> each.getKey().toLowerCase(Locale.ROOT), Map.Entry::getValue));
  }

  @Override
  public void close() throws IOException {
    body.close();
  }

  private final class Stream extends InputStream {
    private boolean closed;

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] b, int off, int len) throws IOException {
      if (closed) {
        throw new IOException("the stream is closed");
      }
      try {
        return pipe.read(b, off, len, exchange.timed());
      } catch (RuntimeException e) {
        if (e instanceof CancellationException) {
          throw exchange.failed(e, Failure.READ_TIMEOUT);
        }
        throw e;
      } catch (Exception e) {
        throw exchange.failed(e, Failure.READ_TIMEOUT);
      }
    }

    @Override
    public int available() {
      return pipe.available();
    }

    @Override
    public void close() {
      closed = true;
      pipe.close();
    }
  }
}
