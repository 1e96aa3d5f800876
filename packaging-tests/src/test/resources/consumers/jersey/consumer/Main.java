package consumer;

import io.heddle.jersey.HeddleConnectorProvider;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import java.time.Duration;
import org.glassfish.jersey.client.JerseyClient;

public final class Main {
  public static void main(String[] args) throws Exception {
    try (Client client =
        ClientBuilder.newBuilder()
            .property(HeddleConnectorProvider.DEADLINE, Duration.ofSeconds(30))
            .build()) {
      String found =
          ((JerseyClient) client).getConfiguration().getConnectorProvider().getClass().getName();
      if (!found.equals(HeddleConnectorProvider.class.getName())) {
        throw new AssertionError("Jersey took " + found);
      }
      System.out.println(client.target(args[0]).request().get(String.class));
    }
  }
}
