package io.heddle.bench.scenarios;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.Executors;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** A service on Tomcat. */
final class TomcatFront implements FrontServer {

  private final Tomcat tomcat = new Tomcat();
  private final Connector connector = new Connector();

  TomcatFront(FrontWork work, int poolSize) throws IOException, LifecycleException {
    File base = Files.createTempDirectory("heddle-bench-tomcat").toFile();
    base.deleteOnExit();
    tomcat.setBaseDir(base.getPath());
    connector.setPort(0);
    connector.setProperty("address", "127.0.0.1");
    connector.setProperty("maxConnections", "20000");
    connector.setProperty("acceptCount", "8192");
    connector.setProperty("maxKeepAliveRequests", "-1");
    if (poolSize == 0) {
      connector.getProtocolHandler().setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    } else {
      connector.setProperty("maxThreads", Integer.toString(poolSize));
    }
    tomcat.setConnector(connector);
    Context context = tomcat.addContext("", base.getPath());
    Tomcat.addServlet(context, "service", new Service(work));
    context.addServletMappingDecoded("/*", "service");
    tomcat.start();
  }

  @Override
  public List<URI> uris() {
    return List.of(URI.create("http://127.0.0.1:" + connector.getLocalPort()));
  }

  private static final class Service extends HttpServlet {
    private static final long serialVersionUID = 1;

    private final transient FrontWork work;

    Service(FrontWork work) {
      this.work = work;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws ServletException, IOException {
      try {
        work.call(request.getRequestURI());
      } catch (IOException | RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new ServletException(e);
      }
      response.getOutputStream().print(FrontWork.ANSWER);
    }
  }
}
