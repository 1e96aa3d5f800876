package io.heddle.bench.scenarios;

import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.server.HttpHandler;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.xnio.Options;

/** A service on Undertow. */
final class UndertowFront implements FrontServer {

  private final Undertow undertow;

  UndertowFront(FrontWork work, int poolSize) {
    HttpHandler service =
        exchange -> {
          work.call(exchange.getRequestPath());
          exchange.getResponseSender().send(FrontWork.ANSWER);
        };
    HttpHandler handler;
    if (poolSize == 0) {
      Executor virtual = Executors.newVirtualThreadPerTaskExecutor();
      handler = exchange -> exchange.dispatch(virtual, service);
    } else {
      handler = exchange -> exchange.dispatch(service);
    }
    undertow =
        Undertow.builder()
            .addHttpListener(0, "127.0.0.1")
            .setIoThreads(2)
            .setWorkerThreads(Math.max(1, poolSize))
            .setSocketOption(Options.BACKLOG, 8_192)
            .setServerOption(UndertowOptions.NO_REQUEST_TIMEOUT, 600_000)
            .setHandler(handler)
            .build();
    undertow.start();
  }

  @Override
  public List<URI> uris() {
    InetSocketAddress address = (InetSocketAddress) undertow.getListenerInfo().get(0).getAddress();
    return List.of(URI.create("http://127.0.0.1:" + address.getPort()));
  }
}
