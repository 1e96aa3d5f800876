package consumer;

import io.heddle.okhttp.BlockingOkHttpClient;
import java.time.Duration;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

public final class Main {
  public static void main(String[] args) throws Exception {
    try (BlockingOkHttpClient client =
            BlockingOkHttpClient.wrap(
                new OkHttpClient.Builder().callTimeout(Duration.ofSeconds(30)).build());
        Response response =
            client.newCall(new Request.Builder().url(args[0]).build()).execute()) {
      System.out.println(response.body().string());
    }
  }
}
