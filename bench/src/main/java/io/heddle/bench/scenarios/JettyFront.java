package io.heddle.bench.scenarios;

import io.heddle.bench.contestants.Contestant;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** A service on Jetty, on some addresses, so that there are ports for all that connect. */
final class JettyFront implements FrontServer {

  private static final int ADDRESSES = 4;
  private static final int SMALL_POOL = 64;
  private static final int BACKLOG = 8_192;

  private final List<URI> uris = new ArrayList<>();

  JettyFront(FrontWork work, int poolSize) throws Exception {
    boolean isVirtual = poolSize == 0;
    QueuedThreadPool pool = new QueuedThreadPool(isVirtual ? SMALL_POOL : poolSize + SMALL_POOL);
    if (isVirtual && !work.isAsync()) {
      pool.setVirtualThreadsExecutor(Executors.newVirtualThreadPerTaskExecutor());
    }
    Server server = new Server(pool);
    List<ServerConnector> connectors = new ArrayList<>();
    for (int i = 1; i <= ADDRESSES; i++) {
      ServerConnector connector = new ServerConnector(server, 1, 1);
      connector.setHost("127.0.0." + i);
      connector.setAcceptQueueSize(BACKLOG);
      connector.setIdleTimeout(600_000);
      server.addConnector(connector);
      connectors.add(connector);
    }
    server.setHandler(work.isAsync() ? new Async(work) : new Blocking(work));
    server.start();
    connectors.forEach(
        each -> uris.add(URI.create("http://" + each.getHost() + ":" + each.getLocalPort())));
  }

  @Override
  public List<URI> uris() {
    return uris;
  }

  private static void answer(Response response, Callback callback) {
    response.setStatus(HttpStatus.OK_200);
    Content.Sink.write(response, true, FrontWork.ANSWER, callback);
  }

  private static final class Blocking extends Handler.Abstract {
    private final FrontWork work;

    Blocking(FrontWork work) {
      this.work = work;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
      work.call(request.getHttpURI().getPath());
      answer(response, callback);
      return true;
    }
  }

  private static final class Async extends Handler.Abstract.NonBlocking {
    private final FrontWork work;

    Async(FrontWork work) {
      this.work = work;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      work.start(
          request.getHttpURI().getPath(),
          new Contestant.Outcome() {
            @Override
            public void succeeded() {
              answer(response, callback);
            }

            @Override
            public void failed(Throwable failure) {
              callback.failed(failure);
            }
          });
      return true;
    }
  }
}
