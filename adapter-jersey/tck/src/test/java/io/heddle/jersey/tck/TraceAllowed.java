package io.heddle.jersey.tck;

import java.lang.management.ManagementFactory;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Has Tomcat answer TRACE, which it refuses unless told otherwise, and which the TCK sends. */
public final class TraceAllowed implements BeforeEachCallback {

  private boolean done;

  /** JUnit makes one of these for all classes. */
  public TraceAllowed() {}

  @Override
  public void beforeEach(ExtensionContext context) throws JMException {
    if (done) {
      return;
    }
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    for (ObjectName each : server.queryNames(new ObjectName("*:type=Connector,*"), null)) {
      server.setAttribute(each, new Attribute("allowTrace", true));
      done = true;
    }
  }
}
