package io.heddle.jetty;

import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.InputStreamResponseListener;
import org.eclipse.jetty.client.OutputStreamRequestContent;

/** Jetty's own classes, and those that take their places. */
enum Kind {
  STOCK,
  HEDDLE;

  HttpClient client() {
    return this == STOCK ? new HttpClient() : new BlockingJettyClient();
  }

  InputStreamResponseListener listener() {
    return this == STOCK ? new InputStreamResponseListener() : new BlockingResponseListener();
  }

  OutputStreamRequestContent content() {
    return this == STOCK ? new OutputStreamRequestContent() : new BlockingRequestContent();
  }
}
