package io.heddle.jetty;

import java.net.URI;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.transport.HttpConversation;
import org.eclipse.jetty.client.transport.HttpRequest;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;

/** A request that takes note of each listener which is not Jetty's own, and so may block. */
abstract class ListeningRequest extends HttpRequest {

  ListeningRequest(HttpClient client, HttpConversation conversation, URI uri) {
    super(client, conversation, uri);
  }

  /** Takes note of code that Jetty will run on its threads; null is none. */
  abstract void noteCode(@Nullable Object code);

  @Override
  public Request onRequestListener(Request.Listener listener) {
    noteCode(listener);
    return super.onRequestListener(listener);
  }

  @Override
  public Request onRequestQueued(Request.QueuedListener listener) {
    noteCode(listener);
    return super.onRequestQueued(listener);
  }

  @Override
  public Request onRequestBegin(Request.BeginListener listener) {
    noteCode(listener);
    return super.onRequestBegin(listener);
  }

  @Override
  public Request onRequestHeaders(Request.HeadersListener listener) {
    noteCode(listener);
    return super.onRequestHeaders(listener);
  }

  @Override
  public Request onRequestCommit(Request.CommitListener listener) {
    noteCode(listener);
    return super.onRequestCommit(listener);
  }

  @Override
  public Request onRequestContent(Request.ContentListener listener) {
    noteCode(listener);
    return super.onRequestContent(listener);
  }

  @Override
  public Request onRequestSuccess(Request.SuccessListener listener) {
    noteCode(listener);
    return super.onRequestSuccess(listener);
  }

  @Override
  public Request onRequestFailure(Request.FailureListener listener) {
    noteCode(listener);
    return super.onRequestFailure(listener);
  }

  @Override
  public Request onResponseListener(Response.Listener listener) {
    noteCode(listener);
    return super.onResponseListener(listener);
  }

  @Override
  public Request onResponseBegin(Response.BeginListener listener) {
    noteCode(listener);
    return super.onResponseBegin(listener);
  }

  @Override
  public Request onResponseHeader(Response.HeaderListener listener) {
    noteCode(listener);
    return super.onResponseHeader(listener);
  }

  @Override
  public Request onResponseHeaders(Response.HeadersListener listener) {
    noteCode(listener);
    return super.onResponseHeaders(listener);
  }

  @Override
  public Request onResponseContent(Response.ContentListener listener) {
    noteCode(listener);
    return super.onResponseContent(listener);
  }

  @Override
  public Request onResponseContentAsync(Response.AsyncContentListener listener) {
    noteCode(listener);
    return super.onResponseContentAsync(listener);
  }

  @Override
  public Request onResponseContentSource(Response.ContentSourceListener listener) {
    noteCode(listener);
    return super.onResponseContentSource(listener);
  }

  @Override
  public Request onResponseSuccess(Response.SuccessListener listener) {
    noteCode(listener);
    return super.onResponseSuccess(listener);
  }

  @Override
  public Request onResponseFailure(Response.FailureListener listener) {
    noteCode(listener);
    return super.onResponseFailure(listener);
  }

  @Override
  public Request onComplete(Response.CompleteListener listener) {
    noteCode(listener);
    return super.onComplete(listener);
  }

  @Override
  public Request onPush(BiFunction<Request, Request, Response.CompleteListener> listener) {
    noteCode(listener);
    return super.onPush(listener);
  }

  @Override
  public Request trailersSupplier(Supplier<HttpFields> listener) {
    noteCode(listener);
    return super.trailersSupplier(listener);
  }
}
