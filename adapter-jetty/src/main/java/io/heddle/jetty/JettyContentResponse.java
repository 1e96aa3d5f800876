package io.heddle.jetty;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/** A response with its whole content. (Jetty's own class is not exported.) */
final class JettyContentResponse implements ContentResponse {

  private final Response response;
  private final byte[] content;
  private final @Nullable String mediaType;
  private final @Nullable String encoding;

  JettyContentResponse(
      Response response, byte[] content, @Nullable String mediaType, @Nullable String encoding) {
    this.response = response;
    this.content = content;
    this.mediaType = mediaType;
    this.encoding = encoding;
  }

  @Override
  public Request getRequest() {
    return response.getRequest();
  }

  @Override
  public HttpVersion getVersion() {
    return response.getVersion();
  }

  @Override
  public int getStatus() {
    return response.getStatus();
  }

  @Override
  public String getReason() {
    return response.getReason();
  }

  @Override
  public HttpFields getHeaders() {
    return response.getHeaders();
  }

  @Override
  public HttpFields getTrailers() {
    return response.getTrailers();
  }

  @Override
  public CompletableFuture<Boolean> abort(Throwable cause) {
    return response.abort(cause);
  }

  @Override
  public CompletableFuture<Boolean> fail(Throwable cause) {
    return response.fail(cause);
  }

  @Override
  public @Nullable String getMediaType() {
    return mediaType;
  }

  @Override
  public @Nullable String getEncoding() {
    return encoding;
  }

  @Override
  public byte[] getContent() {
    return content;
  }

  @Override
  public String getContentAsString() {
    return new String(
        content, encoding == null ? StandardCharsets.UTF_8 : Charset.forName(encoding));
  }

  @Override
  public String toString() {
    return "JettyContentResponse[%s %d %s, %d bytes]"
        .formatted(getVersion(), getStatus(), getReason(), content.length);
  }
}
