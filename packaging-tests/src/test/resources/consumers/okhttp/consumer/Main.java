package consumer;

import io.heddle.okhttp.BlockingOkHttpClient;
import java.time.Duration;
import java.util.List;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;

public final class Main {
  private Main() {}

  public static void main(String[] args) throws Exception {
    OkHttpClient.Builder settings = new OkHttpClient.Builder().callTimeout(Duration.ofSeconds(30));
    if (args.length > 1) {
      settings.protocols(List.of(Protocol.valueOf(args[1])));
    }
    try (BlockingOkHttpClient client =
        BlockingOkHttpClient.builder(settings.build()).maxConnectionsPerHost(2).build()) {
      Request request = new Request.Builder().url(args[0]).build();
      try (Response first = client.newCall(request).execute();
          Response second = client.newCall(request).execute()) {
        System.out.println(first.body().string().equals(second.body().string()) ? "hello" : "?");
      }
    }
  }
}
