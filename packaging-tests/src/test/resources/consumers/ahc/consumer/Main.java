package consumer;

import static org.asynchttpclient.Dsl.config;
import static org.asynchttpclient.Dsl.get;

import io.heddle.ahc.BlockingAhcClient;
import java.time.Duration;

public final class Main {
  public static void main(String[] args) throws Exception {
    try (BlockingAhcClient client = new BlockingAhcClient(config().build())) {
      System.out.println(
          client.execute(get(args[0]).build(), Duration.ofSeconds(30)).getResponseBody());
    }
  }
}
