package io.heddle.jersey;

import jakarta.ws.rs.client.ClientRequestContext;
import jakarta.ws.rs.client.ClientRequestFilter;
import jakarta.ws.rs.client.ClientResponseContext;
import jakarta.ws.rs.client.ClientResponseFilter;
import jakarta.ws.rs.ext.ReaderInterceptor;
import jakarta.ws.rs.ext.ReaderInterceptorContext;
import jakarta.ws.rs.ext.WriterInterceptor;
import jakarta.ws.rs.ext.WriterInterceptorContext;
import java.io.IOException;
import java.util.function.Consumer;

/** One of each hook that JAX-RS has for user code in a client. */
record Probes(Consumer<String> probe)
    implements ClientRequestFilter, ClientResponseFilter, WriterInterceptor, ReaderInterceptor {

  @Override
  public void filter(ClientRequestContext request) {
    probe.accept("request filter");
  }

  @Override
  public void filter(ClientRequestContext request, ClientResponseContext response) {
    probe.accept("response filter");
  }

  @Override
  public void aroundWriteTo(WriterInterceptorContext context) throws IOException {
    probe.accept("writer interceptor");
    context.proceed();
  }

  @Override
  public Object aroundReadFrom(ReaderInterceptorContext context) throws IOException {
    probe.accept("reader interceptor");
    return context.proceed();
  }
}
