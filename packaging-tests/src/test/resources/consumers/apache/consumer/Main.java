package consumer;

import io.heddle.DeadlineExceededException;
import io.heddle.apache.BlockingHttpClients;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.BasicHttpClientResponseHandler;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.util.Timeout;

public final class Main {
  public static void main(String[] args) throws Exception {
    try (CloseableHttpClient client =
        BlockingHttpClients.custom(Timeout.ofSeconds(30)).build()) {
      System.out.println(client.execute(new HttpGet(args[0]), new BasicHttpClientResponseHandler()));
    } catch (DeadlineExceededException e) {
      throw new AssertionError("slow", e);
    }
  }
}
