package example;

import io.heddle.apache.BlockingConnectionManager;
import io.heddle.apache.BlockingHttpClients;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.util.Timeout;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

/** As the example for Spring Boot 4, with two beans in place of Heddle's starter. */
@SpringBootApplication
public class Main {

  public static void main(String[] args) {
    SpringApplication.run(Main.class, args);
  }

  @Configuration(proxyBeanMethods = false)
  static class Heddle {
    @Bean
    CloseableHttpClient heddle() {
      ConnectionConfig timeouts =
          ConnectionConfig.custom()
              .setConnectTimeout(Timeout.ofSeconds(2))
              .setSocketTimeout(Timeout.ofSeconds(5))
              .build();
      return BlockingHttpClients.custom(Timeout.ofSeconds(10)) // the deadline of each call
          .disableCookieManagement() // all callers would share them
          .setConnectionManager(
              BlockingConnectionManager.builder().setDefaultConnectionConfig(timeouts).build())
          .build();
    }

    @Bean
    ClientHttpRequestFactoryBuilder<?> requestFactories(CloseableHttpClient heddle) {
      return bootsSettings -> new HttpComponentsClientHttpRequestFactory(heddle);
    }
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
