package consumer;

import io.heddle.jdk.BlockingJdkHttpClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

public final class Main {
  public static void main(String[] args) throws Exception {
    try (HttpClient client = BlockingJdkHttpClient.wrap(HttpClient.newHttpClient())) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(args[0])).timeout(Duration.ofSeconds(30)).build();
      System.out.println(client.send(request, BodyHandlers.ofString()).body());
    }
  }
}
