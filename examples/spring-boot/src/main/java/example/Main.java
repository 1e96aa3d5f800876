package example;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

/** A service on virtual threads that asks another one; its address is the property other.url. */
@SpringBootApplication
public class Main {

  public static void main(String[] args) {
    SpringApplication.run(Main.class, args);
  }

  @RestController
  static class Front {
    private final RestClient other;

    Front(RestClient.Builder builder, @Value("${other.url}") String url) {
      this.other = builder.baseUrl(url).build();
    }

    @GetMapping("/")
    String get() {
      return "The other says: " + other.get().uri("/").retrieve().body(String.class);
    }
  }
}
