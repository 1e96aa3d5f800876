package example;

import io.heddle.DeadlineExceededException;
import io.heddle.apache.BlockingHttpClients;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.BasicHttpClientResponseHandler;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.util.Timeout;

/** Calls a URL 100 times at once, each on a virtual thread of its own and within 5 seconds. */
public final class Main {

  public static void main(String[] args) throws Exception {
    List<Future<String>> calls = new ArrayList<>();
    try (CloseableHttpClient client = BlockingHttpClients.custom(Timeout.ofSeconds(5)).build();
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 100; i++) {
        calls.add(
            callers.submit(
                () -> client.execute(new HttpGet(args[0]), new BasicHttpClientResponseHandler())));
      }
      for (Future<String> each : calls) {
        each.get();
      }
      System.out.println(calls.size() + " times: " + calls.getFirst().get());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof DeadlineExceededException) {
        System.out.println("too slow: " + e.getCause().getMessage());
      } else {
        throw e;
      }
    }
  }
}
