package io.heddle.app;

import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import java.util.function.Function;
import org.glassfish.jersey.client.ClientConfig;

/** A modular application: makes a call, and tells which module its connector came from. */
public final class App implements Function<String, String> {

  @Override
  public String apply(String uri) {
    try (Client client = ClientBuilder.newClient()) {
      int status = client.target(uri).request().get().getStatus();
      Object connector = ((ClientConfig) client.getConfiguration()).getConnectorProvider();
      return status + " by " + connector.getClass().getModule().getName();
    }
  }
}
