package consumer;

import io.heddle.jetty.BlockingJettyClient;
import java.time.Duration;

public final class Main {
  private Main() {}

  public static void main(String[] args) throws Exception {
    BlockingJettyClient client = new BlockingJettyClient();
    client.setCallTimeout(Duration.ofSeconds(30));
    client.start();
    System.out.println(client.GET(args[0]).getContentAsString());
    client.stop();
  }
}
