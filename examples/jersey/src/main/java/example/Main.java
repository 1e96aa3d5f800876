package example;

import io.heddle.jersey.HeddleConnectorProvider;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import java.time.Duration;

/** A JAX-RS client: the dependency is enough, the deadline is by choice. */
public final class Main {

  public static void main(String[] args) {
    try (Client client =
        ClientBuilder.newBuilder()
            .property(HeddleConnectorProvider.DEADLINE, Duration.ofSeconds(5))
            .build()) {
      System.out.println(client.target(args[0]).request().get(String.class));
    }
  }
}
